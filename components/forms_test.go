package components

import (
	"testing"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/room"
)

func textboxes(d drawing) []string {
	names := map[string]string{}
	for _, label := range d.all("label", "for", "") {
		id, _ := attr(label, "for")
		names[id] = words(label)
	}
	var list []string
	for _, tag := range []string{"input", "textarea"} {
		for _, input := range d.all(tag, "", "") {
			id, _ := attr(input, "id")
			name, ok := attr(input, "aria-label")
			if !ok {
				name = names[id]
			}
			kind, _ := attr(input, "type")
			role, _ := attr(input, "role")
			if kind == "text" || tag == "textarea" || role == "textbox" {
				list = append(list, name)
			}
		}
	}
	return list
}

func TestNamesOfTheSettings(t *testing.T) {
	me := Account{Person: room.Person{PubKey: "aa", Name: "Mira"}, NPub: "npub1aa", Signer: "local"}
	locked, checked, remote := me, me, me
	remote.Signer, remote.BackedUp, remote.Relays = "remote", true, []string{"wss://a.example"}
	away := remote
	away.Away = "It does not answer."
	locked.Locked, locked.Sealed = true, true
	checked.BackedUp = true
	tests := []struct {
		name                    string
		identity                Identity
		buttons, fields, absent []string
	}{
		{"signed out", Identity{}, []string{"Use browser extension", "Use remote signer", "Create a key", "Import a key"}, nil, []string{"Sign out"}},
		{"a remote signer", Identity{way: "remote"}, []string{"Connect", "Make a code"}, []string{"Bunker address", "Relay for the signer"}, []string{"Cancel", "Copy code"}},
		{"connecting", Identity{Wait: RemoteWait{On: true, Relays: []string{"wss://a.example"}}}, []string{"Cancel"}, []string{"Bunker address"}, []string{"Copy code"}},
		{"inviting", Identity{Wait: RemoteWait{On: true, URI: "nostrconnect://x"}}, []string{"Copy code", "Cancel"}, nil, nil},
		{"remote", Identity{SignedIn: true, Me: remote}, []string{"Sign out"}, nil, []string{"Save backup", "Reconnect", "Use remote signer"}},
		{"remote and away", Identity{SignedIn: true, Me: away}, []string{"Reconnect"}, nil, []string{"Save backup"}},
		{"creating", Identity{way: "create"}, []string{"Create"}, []string{"Passphrase"}, nil},
		{"importing", Identity{way: "import"}, []string{"Import"}, []string{"Secret key", "Passphrase"}, nil},
		{"signed in", Identity{SignedIn: true, Me: me}, []string{"Save backup", "Add account", "Sign out"}, nil,
			[]string{"Use browser extension", "Create a key", "Import a key", "Check backup"}},
		{"backing up", Identity{SignedIn: true, Me: me, BackupText: "nsec1x"}, []string{"Check backup"}, []string{"Paste your backup to check it"}, nil},
		{"backed up", Identity{SignedIn: true, Me: checked}, []string{"Save backup"}, nil, []string{"Check backup"}},
		{"adding", Identity{SignedIn: true, Me: me, adding: true}, []string{"Use browser extension", "Create a key", "Import a key"}, nil, nil},
		{"locked", Identity{SignedIn: true, Me: locked}, []string{"Unlock"}, []string{"Passphrase"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := draw(t, &tt.identity)
			for _, want := range tt.buttons {
				if !has(d.buttons(), want) {
					t.Errorf("no button %q in %v", want, d.buttons())
				}
			}
			for _, want := range tt.fields {
				if !has(textboxes(d), want) {
					t.Errorf("no textbox %q in %v", want, textboxes(d))
				}
			}
			for _, not := range tt.absent {
				if has(d.buttons(), not) {
					t.Errorf("a button %q", not)
				}
			}
		})
	}
	if said := words(draw(t, &Identity{SignedIn: true, Me: checked}).one("p", "class", "done")); said != "Backup checked" {
		t.Errorf("a checked backup says %q", said)
	}
}

func TestTheSignOutDialog(t *testing.T) {
	d := draw(t, &SignOut{})
	dialog := d.one("dialog", "role", "dialog")
	if modal, _ := attr(dialog, "aria-modal"); modal != "" && modal != "true" {
		t.Errorf("aria-modal is %q", modal)
	}
	d.one("input", "name", "wipe")
	if !has(d.buttons(), "Sign out") {
		t.Errorf("%v", d.buttons())
	}
}

func TestRelayDialogs(t *testing.T) {
	d := draw(t, &Confirm{Kind: "open", Value: "wss://a.example", Title: "Open wss://a.example?", Yes: "Open", No: "Not now"})
	if said := words(d.one("h2", "", "")); said != "Open wss://a.example?" {
		t.Errorf("title %q", said)
	}
	if !has(d.buttons(), "Open") || !has(d.buttons(), "Not now") {
		t.Errorf("%v", d.buttons())
	}
}

func TestTheComposer(t *testing.T) {
	d := draw(t, &Composer{Place: "/rooms/a", Hint: "Message Lobby", Over: "Reply to Ana"})
	if got := textboxes(d); !has(got, "Message") {
		t.Errorf("textboxes %v", got)
	}
	for _, want := range []string{"Send", "Cancel"} {
		if !has(d.buttons(), want) {
			t.Errorf("no button %q", want)
		}
	}
	if has(draw(t, &Composer{Place: "/rooms/a"}).buttons(), "Attach") {
		t.Error("a button for what does not work")
	}
}

func TestTheFieldStaysWhileAReplyComesAndGoes(t *testing.T) {
	for _, over := range []string{"", "Reply to Ana"} {
		in := draw(t, &Composer{Over: over}).one("div", "class", "in")
		var classes []string
		for child := range in.ChildNodes() {
			if class, ok := attr(child, "class"); ok {
				classes = append(classes, class)
			}
		}
		if len(classes) != 3 || classes[1] != "comp-row" {
			t.Errorf("over %q: %v, want the field's row in second place", over, classes)
		}
	}
}

func TestTheConnectionIsAlwaysShown(t *testing.T) {
	for state, want := range map[string]string{"online": "Online, 2 relays", "connecting": "Connecting…", "offline": "Offline"} {
		d := draw(t, &Connection{State: state, Relays: 2})
		if got := words(d.one("", "data-connection", state)); got != want {
			t.Errorf("%s says %q, want %q", state, got, want)
		}
	}
}

func TestNothingIsStyledInline(t *testing.T) {
	for _, c := range []ui.UI{
		&Message{M: sampleMessage(), CanWrite: true, open: openMenu},
		&Identity{}, &Relays{List: []Relay{{URL: "wss://a.example", Mine: true}}}, &Rail{Rooms: []Line{{Name: "a"}}},
		&Composer{}, &Details{Admin: true}, &RoomForm{}, &Report{}, &Markdown{Text: answers(t)[0]},
	} {
		if found := draw(t, c).all("", "style", ""); len(found) != 0 {
			t.Errorf("%T sets a style on <%s>, which the CSP forbids", c, found[0].Data)
		}
	}
}
