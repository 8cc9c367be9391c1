package verify

import (
	"fmt"

	"github.com/nbd-wtf/go-nostr"
)

// ParseFrame reads a relay's ["EVENT",<subscription>,<event>] frame. A frame with
// another label gives ErrNotEvent and is read no further; what is not such JSON
// gives ErrFrame. The event is not verified yet.
//
// The reader is strict: UTF-8 only, whole numbers only, each of the seven fields
// just once; other fields are passed over. The strings of the event may share one
// copy of the frame.
func ParseFrame(frame []byte) (sub string, e *nostr.Event, err error) {
	in := scanner{s: string(frame)}
	sub, e, err = in.frame()
	if err != nil {
		return "", nil, fmt.Errorf("verify: reading a frame: %w", err)
	}
	return sub, e, nil
}

// ParseEvent reads one event object, as strictly as ParseFrame does. The event is
// not verified yet. Errors wrap ErrFrame.
func ParseEvent(object []byte) (*nostr.Event, error) {
	in := scanner{s: string(object)}
	e, err := in.event()
	if err == nil {
		err = in.end()
	}
	if err != nil {
		return nil, fmt.Errorf("verify: reading an event: %w", err)
	}
	return e, nil
}

func (in *scanner) frame() (sub string, e *nostr.Event, err error) {
	if err = in.delim('['); err != nil {
		return
	}
	label, err := in.text()
	if err != nil {
		return
	}
	if label != "EVENT" {
		err = fmt.Errorf("label %.20q: %w", label, ErrNotEvent)
		return
	}
	if err = in.delim(','); err != nil {
		return
	}
	if sub, err = in.text(); err != nil {
		return
	}
	if err = in.delim(','); err != nil {
		return
	}
	if e, err = in.event(); err != nil {
		return
	}
	if err = in.delim(']'); err != nil {
		return
	}
	err = in.end()
	return
}

// The fields of an event, as bits.
const (
	hasID = 1 << iota
	hasPubKey
	hasCreatedAt
	hasKind
	hasTags
	hasContent
	hasSig
	hasAll = 1<<iota - 1
)

func (in *scanner) event() (*nostr.Event, error) {
	if err := in.delim('{'); err != nil {
		return nil, err
	}
	e := new(nostr.Event)
	seen := 0
	for more := !in.next('}'); more; {
		name, err := in.text()
		if err != nil {
			return nil, err
		}
		if err := in.delim(':'); err != nil {
			return nil, err
		}
		field, err := in.field(e, name)
		if err != nil {
			return nil, err
		}
		if seen&field != 0 {
			return nil, in.fail("%.20q comes twice", name)
		}
		seen |= field
		if more, err = in.comma('}'); err != nil {
			return nil, err
		}
	}
	if seen != hasAll {
		return nil, in.fail("the event lacks a field")
	}
	return e, nil
}

// field reads the value of a field into e and returns its bit, 0 for a field that
// is none of an event's.
func (in *scanner) field(e *nostr.Event, name string) (bit int, err error) {
	switch name {
	case "id":
		e.ID, err = in.text()
		return hasID, err
	case "pubkey":
		e.PubKey, err = in.text()
		return hasPubKey, err
	case "created_at":
		var n int64
		n, err = in.integer()
		e.CreatedAt = nostr.Timestamp(n)
		return hasCreatedAt, err
	case "kind":
		var n int64
		n, err = in.integer()
		e.Kind = int(n)
		return hasKind, err
	case "tags":
		e.Tags, err = in.tags()
		return hasTags, err
	case "content":
		e.Content, err = in.text()
		return hasContent, err
	case "sig":
		e.Sig, err = in.text()
		return hasSig, err
	}
	return 0, in.skip(0)
}

// tags reads an array of arrays of strings. All strings lie in one array.
func (in *scanner) tags() (nostr.Tags, error) {
	if err := in.delim('['); err != nil {
		return nil, err
	}
	in.strings, in.ends = in.strings[:0], in.ends[:0]
	for more := !in.next(']'); more; {
		if err := in.tag(); err != nil {
			return nil, err
		}
		in.ends = append(in.ends, len(in.strings))
		var err error
		if more, err = in.comma(']'); err != nil {
			return nil, err
		}
	}
	all := append([]string(nil), in.strings...)
	tags := make(nostr.Tags, len(in.ends))
	from := 0
	for i, to := range in.ends {
		tags[i] = nostr.Tag(all[from:to:to])
		from = to
	}
	return tags, nil
}

// tag reads an array of strings to the end of in.strings.
func (in *scanner) tag() error {
	if err := in.delim('['); err != nil {
		return err
	}
	for more := !in.next(']'); more; {
		s, err := in.text()
		if err != nil {
			return err
		}
		in.strings = append(in.strings, s)
		if more, err = in.comma(']'); err != nil {
			return err
		}
	}
	return nil
}
