package relay

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nbd-wtf/go-nostr"
)

// signSlowly makes AUTH events after a person has taken their time.
func signSlowly(d time.Duration) func(context.Context, string, string) (*nostr.Event, error) {
	return func(ctx context.Context, url, challenge string) (*nostr.Event, error) {
		select {
		case <-time.After(d):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		ev := note(1000, 1)
		ev.Kind, ev.Tags = kindAuth, nostr.Tags{{"relay", url}, {"challenge", challenge}}
		return ev, nil
	}
}

// answerProbes keeps a connection alive for a while of fake time, and gives
// the first frame that is not a probe.
func answerProbes(t *testing.T, c *peer, d time.Duration) string {
	t.Helper()
	end := time.After(d)
	for {
		select {
		case frame := <-c.in:
			if id := probeID(frame); id != "" {
				c.eose(id)
				c.expect(msgClose)
				continue
			}
			return frame
		case <-end:
			return ""
		}
	}
}

func TestNoTimeOutAgainstAPersonWhoReadsASignersDialog(t *testing.T) {
	const reading = time.Hour + SilenceAfter/2 // not when a probe is due
	inTime(t, Options{Policy: func(string) AuthPolicy { return AuthAlways }, Auth: signSlowly(reading)}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
		must(t, p.Subscribe(testURL, roomSub()))
		c := n.accept()
		id, _ := c.req()
		got := make(chan error, 1)
		go func() {
			answer, err := p.Publish(t.Context(), testURL, note(1, 1))
			if err == nil && !answer.OK {
				err = errors.New(answer.Message)
			}
			got <- err
		}()
		c.challenge("x")
		ev := c.event(msgEvent)
		c.closed(id, "auth-required: x")
		c.ok(ev.ID, false, "auth-required: x")
		if frame := answerProbes(t, c, reading+time.Minute); frame == "" {
			t.Fatal("AUTH was never sent")
		}
		c.ok(note(1000, 1).ID, true, "")
		c.event(msgEvent)
		c.ok(ev.ID, true, "")
		c.req()
		if err := <-got; err != nil {
			t.Fatal(err)
		}
		if len(n.attempts()) != 1 {
			t.Fatal("the connection was given up")
		}
	})
}

func TestTheRelayTheSignerUsesDoesNotWaitForAuthOfTheChatRelay(t *testing.T) {
	inTime(t, Options{Policy: func(string) AuthPolicy { return AuthAlways }, Auth: signSlowly(time.Hour)}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
		must(t, p.Subscribe(testURL, roomSub()))
		chat := n.accept()
		id, _ := chat.req()
		chat.challenge("x")
		chat.closed(id, "auth-required: x")
		before := time.Now()
		must(t, p.Subscribe("wss://signer.example.com", roomSub()))
		c := n.accept()
		id, _ = c.req()
		c.deliver(id, note(1, 1))
		c.eose(id)
		b.wantEvents(1)
		if time.Since(before) != 0 {
			t.Fatalf("waited %v", time.Since(before))
		}
	})
}

func TestARelayThatDemandsAuthAndDoesNotGoOnIsReported(t *testing.T) {
	for name, play := range map[string]func(c *peer, id string){
		"auth-required: the relay demands a sign-in but sends no challenge": func(c *peer, id string) {
			c.closed(id, "auth-required: x")
		},
		"auth-required: the relay did not answer the sign-in": func(c *peer, id string) {
			c.challenge("x")
			c.closed(id, "auth-required: x")
			c.event(msgAuth)
		},
	} {
		inTime(t, Options{Policy: func(string) AuthPolicy { return AuthAlways }, Auth: signSlowly(0)}, func(t *testing.T, p *Pool, n *fakeNet, b *inbox) {
			must(t, p.Subscribe(testURL, roomSub()))
			c := n.accept()
			id, _ := c.req()
			before := time.Now()
			play(c, id)
			in := b.want(GotClosed)
			if in.Reason != name || !in.Retry {
				t.Errorf("%+v", in)
			}
			if took := time.Since(before); took != ChallengeWait && took != OKWait {
				t.Errorf("after %v", took)
			}
		})
	}
}
