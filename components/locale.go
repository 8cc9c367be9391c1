package components

import (
	"math"
	"strconv"
	"time"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// formats are the reader's own ways to write times and numbers, from the
// browser's Intl. Making one is slow, using it is not, so they are kept.
var formats struct {
	made                            bool
	clock, day, full, short, number ui.Value
}

// intl reports whether the browser's formats can be used, and makes them at
// the first call.
func intl() bool {
	if !ui.IsClient {
		return false
	}
	if !formats.made {
		formats.made = true
		date := ui.Window().Get("Intl").Get("DateTimeFormat")
		with := func(options map[string]any) ui.Value { return date.New(ui.Undefined(), options) }
		formats.clock = with(map[string]any{"hour": "numeric", "minute": "2-digit"})
		formats.day = with(map[string]any{"weekday": "long", "day": "numeric", "month": "long"})
		formats.short = with(map[string]any{"day": "numeric", "month": "short"})
		formats.full = with(map[string]any{"dateStyle": "full", "timeStyle": "medium"})
		formats.number = ui.Window().Get("Intl").Get("NumberFormat").New()
	}
	return true
}

func format(f ui.Value, at int64) string {
	return f.Call("format", float64(at)*1000).String()
}

// Clock is the time of day of a moment in unix seconds: "10:42".
func Clock(at int64) string {
	if !intl() {
		return time.Unix(at, 0).UTC().Format("15:04")
	}
	minute := at / 60
	text, ok := clocks[minute]
	if !ok {
		if len(clocks) >= maxClocks {
			clear(clocks)
		}
		text = format(formats.clock, at)
		clocks[minute] = text
	}
	return text
}

// clocks are the times that were written already, by minute: a log shows each
// of them several times, and the browser is slow to write one.
var clocks = map[int64]string{}

// maxClocks is how many of them are kept.
const maxClocks = 2000

// FullTime is a moment in unix seconds with its date, for a title.
func FullTime(at int64) string {
	if !intl() {
		return time.Unix(at, 0).UTC().Format("Monday, 2 January 2006 15:04:05")
	}
	return format(formats.full, at)
}

// ISOTime is a moment in unix seconds for a machine.
func ISOTime(at int64) string { return time.Unix(at, 0).UTC().Format(time.RFC3339) }

// DayOf counts days by the reader's calendar, so that two moments of one day
// have the same number.
func DayOf(at int64) int {
	t := time.Unix(at, 0).Local()
	return t.Year()*1000 + t.YearDay()
}

// DayLabel names the day of a moment: "Today", "Yesterday", "Monday, 3 March".
func DayLabel(at, now int64) string {
	switch DayOf(at) {
	case DayOf(now):
		return "Today"
	case DayOf(now - 24*3600):
		return "Yesterday"
	}
	if !intl() {
		return time.Unix(at, 0).UTC().Format("Monday, 2 January")
	}
	return format(formats.day, at)
}

// Since says in a few letters how long ago a moment was: "now", "3 min", "10:42"
// for the same day, else the date.
func Since(at, now int64) string {
	switch age := now - at; {
	case age < 60:
		return "now"
	case age < 3600:
		return Number(int(age/60)) + " min"
	case DayOf(at) == DayOf(now):
		return Clock(at)
	}
	if !intl() {
		return time.Unix(at, 0).UTC().Format("2 Jan")
	}
	return format(formats.short, at)
}

// Lasting writes a length of time in seconds: "12 s", "3 min 12 s", "2 h 5 min".
func Lasting(seconds int64) string {
	seconds = max(seconds, 0)
	n := func(v int64) string { return Number(int(v)) }
	switch {
	case seconds < 60:
		return n(seconds) + " s"
	case seconds < 3600:
		return n(seconds/60) + " min " + n(seconds%60) + " s"
	}
	return n(seconds/3600) + " h " + n(seconds%3600/60) + " min"
}

// Number writes a whole number.
func Number(n int) string {
	if !intl() {
		return strconv.Itoa(n)
	}
	return formats.number.Call("format", n).String()
}

// timestamp is a moment as a message shows it, with the whole of it as a title.
func timestamp(at int64) ui.UI {
	return ui.Time().DateTime(ISOTime(at)).Title(FullTime(at)).Text(Clock(at))
}

// Moment is a moment in unix seconds as a line of text shows it: the time of
// day, and the date when it is not today's.
func Moment(at int64) string {
	if DayOf(at) == DayOf(unixNow()) {
		return Clock(at)
	}
	if !intl() {
		return time.Unix(at, 0).UTC().Format("2 Jan, 15:04")
	}
	return format(formats.short, at) + ", " + Clock(at)
}

// Decimal writes a number with at most so many digits after the point.
func Decimal(v float64, digits int) string {
	if !intl() {
		return strconv.FormatFloat(v, 'f', digits, 64)
	}
	options := map[string]any{"maximumFractionDigits": digits}
	return ui.Window().Get("Intl").Get("NumberFormat").New(ui.Undefined(), options).Call("format", v).String()
}

// moneyDigits are the most digits behind the point of an amount of money.
const moneyDigits = 4

// About is an amount that is only guessed, in words: "about $0.12", "less than
// $0.0001".
func About(amount float64, currency string) string {
	if least := math.Pow10(-moneyDigits); amount > 0 && amount < least {
		return "less than " + Money(least, currency)
	}
	return "about " + Money(amount, currency)
}

// Money writes an amount in a currency by its code (ISO 4217), or by whatever
// the code is.
func Money(amount float64, currency string) string {
	const digits = moneyDigits
	if intl() {
		options := map[string]any{"style": "currency", "currency": currency, "maximumFractionDigits": digits}
		if text, ok := localeMoney(amount, options); ok {
			return text
		}
	}
	return Decimal(amount, digits) + " " + currency
}

// localeMoney reports false for a currency that is none: the browser throws.
func localeMoney(amount float64, options map[string]any) (text string, ok bool) {
	defer func() {
		if recover() != nil {
			text, ok = "", false
		}
	}()
	format := ui.Window().Get("Intl").Get("NumberFormat").New(ui.Undefined(), options)
	return format.Call("format", amount).String(), true
}
