package port

import (
	"encoding/json"

	"parley/wasm/ask"
	"parley/wasm/room"
	"parley/wasm/task"
)

// People names the public keys that stand in a card, by hex key.
type People map[string]room.Person

// AskItem is a question with where it stands and the names in it.
type AskItem struct {
	View      ask.View    `json:"view"`
	Room      room.Ref    `json:"room"`
	RoomName  string      `json:"room_name"`
	Thread    string      `json:"thread,omitempty"` // the root of the thread it was asked in
	People    People      `json:"people"`
	Refs      []room.Link `json:"refs,omitempty"` // nostr: references in the question's text
	Dismissed bool        `json:"dismissed,omitempty"`
	Delivery  *Delivery   `json:"delivery,omitempty"` // of my own answer, while it is on its way
	Draft     string      `json:"draft,omitempty"`    // what was typed and not sent, as the form keeps it
	Link      string      `json:"link"`               // nevent, to copy
}

// AsksView is every question that waits for me, soonest expiry first, or
// those that ended, newest first. Strangers holds the ones from people outside
// my rooms and contacts; they are not counted.
type AsksView struct {
	Filter    string    `json:"filter"`
	Items     []AskItem `json:"items"`
	Strangers []AskItem `json:"strangers,omitempty"`
	Loading   bool      `json:"loading"`
}

// AskRecord is the decision record of one question. Export is the JSON that
// `parley verify` checks.
type AskRecord struct {
	Item    AskItem         `json:"item"`
	Export  json.RawMessage `json:"export,omitempty"`
	Loading bool            `json:"loading"`
	Missing bool            `json:"missing,omitempty"` // no relay has it
}

// TaskItem is a task card with where it stands and the names in it.
type TaskItem struct {
	View     task.View   `json:"view"`
	Room     room.Ref    `json:"room"`
	RoomName string      `json:"room_name"`
	People   People      `json:"people"`
	Files    []room.File `json:"files,omitempty"`    // of the result's file messages that are loaded
	Delivery *Delivery   `json:"delivery,omitempty"` // of my request or my cancel, while on its way
	Link     string      `json:"link"`
}

// TasksView is every task that I asked for or that names me, running first.
type TasksView struct {
	Filter  string     `json:"filter"`
	Items   []TaskItem `json:"items"`
	Loading bool       `json:"loading"`
}
