package components

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// host is the host of an address, to say where something lies.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Host
}

// initial is the letter that stands for a name.
func initial(name string) string {
	for _, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return strings.ToUpper(string(r))
		}
	}
	r, _ := utf8.DecodeRuneInString(name)
	if r == utf8.RuneError || unicode.IsSpace(r) {
		return "?"
	}
	return string(r)
}

// Plural is a count with its noun: "1 reply", "3 replies".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(n) + " " + many
}
