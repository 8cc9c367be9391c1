// Package task holds task cards: the life of a long task from its request
// (kind 43001) to its end, the events each side may write, and the fold that
// turns any set of them into a [View].
//
// It is pure: no clock, no network, no goroutine. Times come in as unix
// seconds. Events handed to a [Fold] are taken as verified (id and signature).
//
// The rules are those of "Long task cards" in "Tiny agent interactions" and,
// where that text is open, of the section "Task cards" in the project's
// specification notes.
package task
