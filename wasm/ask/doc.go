// Package ask holds question forms: requests that an agent puts into a room
// and that the people it names answer with a choice or a text.
//
// It parses and validates requests and answers, builds both, and folds a
// request with everything that names it into a [View]. It is pure: no clock,
// no network, no goroutine. Times come in as unix seconds. Events handed to a
// [Fold] are taken as verified (id and signature).
//
// The rules are those of "Tiny agent interactions" and, where that text is
// open, of the section "Question forms" in the project's specification notes.
// Three shapes of request are known:
//
//   - native: kind 9 with ["tinyagent", "1"], answered by one kind 1111 event
//     with the seven tags of NIP-22 and the room;
//   - older: kinds 9, 11, 12 and 1111 with ["request", "approve" | "decide" |
//     "question"] and no tinyagent tag, answered by kind 7 "+" and "-" and by
//     kind 1111 replies;
//   - another version of tinyagent: an ordinary message with a note.
package ask
