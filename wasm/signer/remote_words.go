package signer

import (
	"strings"
	"unicode"
)

// maxWords is how much of a signer's own words is shown, in code points.
const maxWords = 200

// fault is an error of a remote signer: a kind for programs, words for people.
type fault struct {
	kind  error
	words string
}

func (f *fault) Error() string { return f.words }

func (f *fault) Unwrap() error { return f.kind }

const otherKeyWords = "Your remote signer now acts for another key. Choose your account there, or sign out here."

var errClosed = &fault{ErrAway, "the connection to your remote signer was closed"}

func badSigner(words string) error { return &fault{ErrBadSigner, words} }

func otherKey() error { return &fault{ErrOtherKey, otherKeyWords} }

func refusal(reason string) error {
	return &fault{ErrRefused, "your remote signer said no: " + cleanWords(reason)}
}

// cleanWords makes a stranger's words fit for a line.
func cleanWords(text string) string {
	runes := []rune(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " "))
	if len(runes) > maxWords {
		runes = append(runes[:maxWords-1], '…')
	}
	return string(runes)
}
