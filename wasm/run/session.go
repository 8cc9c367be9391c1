package run

// Session is a conversation: prompts of one person to one agent under one
// session id. JSON over the port; times are Unix seconds.
type Session struct {
	ID      string   `json:"id"` // the s value, or sender:<client>
	Client  string   `json:"client"`
	Agent   string   `json:"agent"`
	Title   string   `json:"title"`          // first words of the first prompt; "" while it is sealed
	Started int64    `json:"started"`        // created_at of the first prompt
	Last    int64    `json:"last"`           // created_at of the newest event of its runs
	Runs    []string `json:"runs,omitempty"` // prompt ids by (created_at, id)
}
