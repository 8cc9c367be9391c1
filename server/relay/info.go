package relay

import (
	"encoding/json"
	"net/http"
	"strings"
)

// infoType is the media type of the NIP-11 document.
const infoType = "application/nostr+json"

// wantsInfo: a list of types with parameters is asking, too.
func wantsInfo(req *http.Request) bool {
	if req.Method == http.MethodOptions {
		return true
	}
	return (req.Method == http.MethodGet || req.Method == http.MethodHead) &&
		strings.Contains(strings.ToLower(strings.Join(req.Header.Values("Accept"), ",")), infoType)
}

// info is the NIP-11 document.
type info struct {
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Self        string     `json:"self"`
	NIPs        []int      `json:"supported_nips"`
	Limitation  limitation `json:"limitation"`
}

type limitation struct {
	MaxMessage   int   `json:"max_message_length"`
	MaxContent   int   `json:"max_content_length"`
	MaxSubs      int   `json:"max_subscriptions"`
	MaxSubID     int   `json:"max_subid_length"`
	MaxTags      int   `json:"max_event_tags"`
	MinPoW       int   `json:"min_pow_difficulty"`
	AuthRequired bool  `json:"auth_required"`
	Payment      bool  `json:"payment_required"`
	Restricted   bool  `json:"restricted_writes"`
	CreatedAhead int64 `json:"created_at_upper_limit"`
}

func (r *Relay) info() info {
	return info{
		Name:        r.config.Name,
		Description: "Rooms where people and AI agents talk.",
		Self:        r.key.public,
		NIPs:        []int{1, 9, 11, 29, 40, 42, 45, 59, 70},
		Limitation: limitation{
			MaxMessage: MaxMessage, MaxContent: MaxContent, MaxSubs: MaxSubs, MaxSubID: MaxSubID,
			MaxTags: MaxTags, CreatedAhead: int64(MaxAhead.Seconds()),
		},
	}
}

func (r *Relay) serveInfo(w http.ResponseWriter, req *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Allow-Headers", "*")
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS")
	h.Set("Vary", "Accept")
	if req.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	h.Set("Content-Type", infoType)
	if err := json.NewEncoder(w).Encode(r.info()); err != nil {
		r.log.Debug("sending the information document", "err", err)
	}
}
