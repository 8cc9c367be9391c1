package store

import "fmt"

// FailureCode says what kind of thing is wrong with the browser's storage.
type FailureCode string

// What can be wrong with the browser's storage.
const (
	// FailedQuota: the disk or the browser's share of it is full.
	FailedQuota FailureCode = "quota"
	// FailedRefused: the browser gives this page no storage (private mode,
	// blocked cookies, a sandboxed frame).
	FailedRefused FailureCode = "refused"
	// FailedBlocked: another tab holds an older form of the database open.
	FailedBlocked FailureCode = "blocked"
	// FailedNewer: the database was written by a newer Parley.
	FailedNewer FailureCode = "newer"
	// FailedLost: the database was closed under us: another tab upgrades or
	// deletes it, or the person cleared the site's data.
	FailedLost FailureCode = "lost"
	// FailedOther: the browser gave another reason, or none.
	FailedOther FailureCode = "other"
)

// Failure is the browser's storage not doing what it was asked.
type Failure struct {
	Code FailureCode
	// Op is what was attempted.
	Op string
	// Err is the browser's own words.
	Err error
}

func (f *Failure) Error() string {
	return fmt.Sprintf("store: %s: %s: %v", f.Op, f.Code, f.Err)
}

func (f *Failure) Unwrap() error { return f.Err }

// Words says what is wrong and what to do, for a person.
func (f *Failure) Words() string {
	switch f.Code {
	case FailedQuota:
		return "This device is out of space for Parley, so new messages are kept only until you close it. Free some space, then reload."
	case FailedRefused:
		return "This browser lets Parley keep nothing (a private window, perhaps), so everything is gone when you close it."
	case FailedBlocked:
		return "Another tab still runs an older Parley, so nothing is kept in this one. Close the other tabs, then reload."
	case FailedNewer:
		return "A newer Parley has used this browser, so this one keeps nothing. Reload to get the newer one."
	case FailedLost:
		return "The browser's storage was closed (by another tab, or because the site's data was cleared), so nothing more is kept. Reload to go on."
	default:
		return "This browser's storage does not work, so everything is gone when you close Parley. Reloading may help."
	}
}
