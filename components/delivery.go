package components

import "parley/wasm/room"

// Delivery says how far an own event has come. State is empty for events of
// others and for own ones that need no word.
type Delivery struct {
	ID     string // of the event, for Retry and Take back
	State  string // waiting, sent, stored or refused
	Reason string // the relay's or the signer's words, or what it waits for
	Stored int    // on how many relays
	Of     int    // of how many it is meant for
	Drop   bool   // it can still be taken back
	Act    string // what can be done about one that is not signed: retry, reconnect or nothing
}

// words says it in a line. In a room there is one relay, so there are no
// numbers.
func (d Delivery) words() string {
	with := func(word string) string {
		switch words := room.Refusal(d.Reason); {
		case words == "":
			return word
		case words != d.Reason: // a sentence of its own
			return word + ". " + words
		default:
			return word + ": " + words
		}
	}
	switch d.State {
	case "waiting":
		return with("Waiting")
	case "sent":
		return with("Sent")
	case "stored":
		if d.Of > 1 {
			return "Stored on " + Number(d.Stored) + " of " + Number(d.Of) + " relays"
		}
		return "Stored"
	case "refused":
		return with("Refused")
	}
	return ""
}
