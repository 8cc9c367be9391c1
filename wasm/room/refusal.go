package room

import "strings"

// MaxRefusal is how much of a relay's own words is shown, in code points.
const MaxRefusal = 300

// refusals say in words what the machine-readable prefixes of OK and CLOSED
// messages mean (NIP-01, NIP-42).
var refusals = map[string]string{
	"auth-required": "The relay wants you to sign in",
	"blocked":       "The relay does not allow this",
	"duplicate":     "The relay has this already",
	"error":         "The relay had a fault",
	"invalid":       "The relay finds a mistake in it",
	"mute":          "Nobody listens for this on the relay",
	"pow":           "The relay asks for a proof of work",
	"rate-limited":  "The relay takes no more for now",
	"restricted":    "The relay allows this only for some",
	"unsupported":   "The relay cannot do this",
}

// Refusal puts the words with which a relay refused something into a sentence
// for people: what its prefix means, and its own words in quotation marks.
// Words without a known prefix stay as they are.
func Refusal(message string) string {
	code, rest, _ := strings.Cut(message, ":")
	meaning := refusals[code]
	if meaning == "" {
		return cleanLine(message, MaxRefusal)
	}
	if rest = strings.Trim(cleanLine(rest, MaxRefusal), " ."); rest == "" {
		return meaning
	}
	return meaning + ": “" + rest + "”"
}
