package components

import "testing"

func TestLengthsOfTimeAreSaidAsTheyPass(t *testing.T) {
	const from = 1_000_000
	for _, step := range []struct {
		tick Ticking
		now  int64
		want string
		wait int64
	}{
		{Ticking{Kind: TickElapsed, At: from}, from + 12, "12 s", 1},
		{Ticking{Kind: TickElapsed, At: from}, from + 192, "3 min 12 s", 1},
		{Ticking{Kind: TickElapsed, At: from}, from + hour + 10, "1 h 0 min", 50},
		{Ticking{Kind: TickElapsed, At: from, End: from + 20}, from + 500, "20 s", 0},
		{Ticking{Kind: TickElapsed, At: from, End: from - 5}, from, "0 s", 0},
		{Ticking{Kind: TickLeft, At: from + 43, Before: "in "}, from, "in 43 s", 1},
		{Ticking{Kind: TickLeft, At: from + 119}, from, "1 min 59 s", 1},
		{Ticking{Kind: TickLeft, At: from + 120}, from, "2 min", 1},
		{Ticking{Kind: TickLeft, At: from + 290}, from, "4 min", 51},
		{Ticking{Kind: TickLeft, At: from + 3*hour}, from, "3 h", minute},
		{Ticking{Kind: TickLeft, At: from + 72*hour}, from, "3 days", hour},
		{Ticking{Kind: TickLeft, At: from}, from + 1, "0 s", 0},
		{Ticking{Kind: TickSilence, At: from}, from + 59, "", 1},
		{Ticking{Kind: TickSilence, At: from, Before: " · "}, from + 60, " · no sign of life for 1 min", 60},
		{Ticking{Kind: TickSilence, At: from}, from + 250, "no sign of life for 4 min", 50},
	} {
		text, wait := step.tick.words(step.now)
		if text != step.want || wait != step.wait {
			t.Errorf("%+v at %d says %q for %d s, want %q for %d s", step.tick, step.now-from, text, wait, step.want, step.wait)
		}
	}
}
