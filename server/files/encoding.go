package files

import (
	"strconv"
	"strings"
)

// choose returns the form that the Accept-Encoding headers rate highest, and
// of those rated alike the smallest. It reports false when the client rules
// out every form (RFC 9110, 12.5.3).
func (f file) choose(headers []string) (form, bool) {
	rated := parseAccept(headers)
	var best form
	var bestQ float64
	for _, each := range f.forms {
		if q := rated.quality(each.encoding); q > bestQ {
			best, bestQ = each, q
		}
	}
	return best, bestQ > 0
}

// accept holds the q-value of each coding named.
type accept map[string]float64

func parseAccept(headers []string) accept {
	rated := accept{}
	for _, header := range headers {
		for part := range strings.SplitSeq(header, ",") {
			coding, params, _ := strings.Cut(part, ";")
			coding = strings.ToLower(strings.TrimSpace(coding))
			if coding == "x-gzip" {
				coding = "gzip" // RFC 9110, 8.4.1.3: the two are one
			}
			if coding != "" {
				rated[coding] = quality(params)
			}
		}
	}
	return rated
}

// quality reads "q=0.5". What is no number between 0 and 1 counts as 0: such a
// coding is not safely wanted.
func quality(params string) float64 {
	name, value, _ := strings.Cut(strings.TrimSpace(params), "=")
	if !strings.EqualFold(strings.TrimSpace(name), "q") {
		return 1
	}
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || !(q >= 0 && q <= 1) {
		return 0
	}
	return q
}

// quality rates an encoding; "" is the plain form, which is acceptable unless
// ruled out, but never preferred to one that was asked for.
func (a accept) quality(encoding string) float64 {
	const unasked = 0.0001 // below any q-value, which has three digits at most
	if encoding != "" {
		if q, ok := a[encoding]; ok {
			return q
		}
		return a["*"]
	}
	if q, ok := a["identity"]; ok {
		return q
	}
	if q, ok := a["*"]; ok && q == 0 {
		return 0
	}
	return unasked
}
