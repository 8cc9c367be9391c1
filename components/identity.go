package components

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/room"
)

// Account is an identity of this browser.
type Account struct {
	Person   room.Person
	NPub     string
	Signer   string   // local, extension or remote
	Relays   []string // of a remote signer
	Link     string   // https address where a remote signer wants the person first
	Locked   bool
	Away     string // why the signer cannot be reached
	BackedUp bool
	Sealed   bool // under a passphrase
}

// IdentityForms is how each form of the identity stands.
type IdentityForms struct {
	Extension FormState
	Remote    FormState
	Invite    FormState
	Reconnect FormState
	Create    FormState
	Import    FormState
	Unlock    FormState
	Backup    FormState
	Check     FormState
	Profile   FormState
}

// Identity is the part of the settings about who the person is.
type Identity struct {
	ui.Compo

	SignedIn   bool
	Me         Account
	Others     []Account
	WebCrypto  bool // a key can be kept without a passphrase
	Wait       RemoteWait
	Relay      string // proposed to meet a remote signer at
	BackupText string // the backup, once it was asked for
	Forms      IdentityForms

	adding bool   // show the ways to sign in although somebody is
	way    string // remote, create or import
}

// OnUpdate implements ui.Updater: once somebody new is signed in, the ways to
// sign in are gone.
func (i *Identity) OnUpdate(ui.Context) {
	if i.Forms.Create.Done+i.Forms.Import.Done+i.Forms.Extension.Done+i.Forms.Remote.Done+i.Forms.Invite.Done != "" {
		i.adding, i.way = false, ""
	}
}

// Render implements ui.Composer.
func (i *Identity) Render() ui.UI {
	parts := []ui.UI{ui.H2().ID("identity-title").Text("You")}
	if i.SignedIn {
		// Each has a place of its own, so that what is typed in one stays when
		// another comes or goes.
		parts = append(parts, i.card(),
			ui.Div().Class("away", "stack").Body(i.away()...),
			ui.Div().Class("backup-place").Body(i.backup()...),
			&ProfileForm{
				PubKey: i.Me.Person.PubKey, Name: i.Me.Person.Name, About: i.Me.Person.About,
				Picture: i.Me.Person.Picture, Form: i.Forms.Profile,
			},
			i.accounts(),
		)
	}
	if !i.SignedIn || i.adding || i.Wait.On {
		parts = append(parts, i.ways())
	}
	return ui.Section().Class("panel").Aria("labelledby", "identity-title").Body(parts...)
}

// away says why the signer cannot sign now, and what to do.
func (i *Identity) away() []ui.UI {
	if i.Me.Signer == "remote" {
		return i.remoteAccount()
	}
	var parts []ui.UI
	if i.Me.Away != "" {
		parts = append(parts, ui.P().Class("problem").Dir("auto").Text(i.Me.Away))
	}
	if i.Me.Locked {
		parts = append(parts, &Unlock{Form: i.Forms.Unlock})
	}
	return parts
}

func (i *Identity) backup() []ui.UI {
	if i.Me.Signer != "local" {
		return nil
	}
	return []ui.UI{&Backup{
		Text: i.BackupText, BackedUp: i.Me.BackedUp, Sealed: i.Me.Sealed,
		Forms: [2]FormState{i.Forms.Backup, i.Forms.Check},
	}}
}

func (i *Identity) card() ui.UI {
	return ui.Div().Class("me-card").Body(
		Face(i.Me.Person),
		ui.Div().Class("grow").Body(
			ui.B().Body(Name(i.Me.Person.Name)),
			ui.Code().Class("npub").Title(i.Me.NPub).Text(shortCode(i.Me.NPub)),
		),
		ui.Button().Type("button").Class("btn").Text("Copy public key").OnClick(i.onCopy),
	)
}

func (i *Identity) onCopy(ctx ui.Context, _ ui.Event) {
	ctx.NewActionWithValue(DoCopy, Copy{Text: i.Me.NPub, What: "Public key"})
}

func (i *Identity) accounts() ui.UI {
	var parts []ui.UI
	for _, a := range i.Others {
		parts = append(parts, ui.Button().Type("button").Class("btn").
			OnClick(func(ctx ui.Context, _ ui.Event) {
				ctx.NewActionWithValue(DoSwitch, a.Person.PubKey)
			}, ui.EventScope(a.Person.PubKey)).
			Body(ui.Text("Switch to "), Name(a.Person.Name)))
	}
	if !i.adding {
		parts = append(parts, ui.Button().Type("button").Class("btn").Text("Add account").OnClick(i.onAdd))
	}
	parts = append(parts, ui.Button().Type("button").Class("btn").Text("Sign out").OnClick(i.onSignOut))
	return ui.Div().Class("row").Body(parts...)
}

func (i *Identity) onAdd(ctx ui.Context, _ ui.Event) {
	i.adding = true
	for _, form := range []string{DoExtension, DoRemote, DoInviteSigner, DoCreateKey, DoImportKey} {
		ctx.NewActionWithValue(DoForget, form)
	}
}

func (i *Identity) onSignOut(ctx ui.Context, _ ui.Event) {
	ctx.NewActionWithValue(DoDialog, DialogCall{Name: DialogSignOut})
}

// ways are the ways to sign in, best first.
func (i *Identity) ways() ui.UI {
	parts := []ui.UI{
		ui.P().Class("sub").Text("Your name here is a key. An extension keeps it away from every page, a remote signer away from this device; a key made here stays in this browser. Nobody can give a lost key back."),
		ui.Div().Class("row").Body(
			ui.Button().Type("button").Class("btn").Text("Use browser extension").
				Disabled(i.Forms.Extension.Busy).OnClick(i.onExtension),
			ui.Button().Type("button").Class("btn").Text("Use remote signer").
				Aria("expanded", i.waysTo("remote")).OnClick(i.onWayRemote),
			ui.Button().Type("button").Class("btn").Text("Create a key").
				Aria("expanded", i.way == "create").OnClick(i.onWayCreate),
			ui.Button().Type("button").Class("btn").Text("Import a key").
				Aria("expanded", i.way == "import").OnClick(i.onWayImport),
		),
		i.Forms.Extension.message(),
	}
	switch {
	case i.waysTo("remote"):
		parts = append(parts, &RemoteKey{Form: i.Forms.Remote, Invite: i.Forms.Invite, Wait: i.Wait, Relay: i.Relay})
	case i.way == "create":
		parts = append(parts, &CreateKey{Form: i.Forms.Create, WebCrypto: i.WebCrypto})
	case i.way == "import":
		parts = append(parts, &ImportKey{Form: i.Forms.Import, WebCrypto: i.WebCrypto})
	}
	return ui.Div().Class("stack").Body(parts...)
}

func (i *Identity) onExtension(ctx ui.Context, _ ui.Event) { ctx.NewAction(DoExtension) }

// waysTo tells whether a way is open. One to a remote signer stays open while a
// signer is being connected, also after a reload.
func (i *Identity) waysTo(way string) bool {
	return i.way == way || way == "remote" && i.Wait.On
}

func (i *Identity) onWayRemote(ctx ui.Context, _ ui.Event) { i.choose(ctx, "remote") }

func (i *Identity) onWayCreate(ctx ui.Context, _ ui.Event) { i.choose(ctx, "create") }

func (i *Identity) onWayImport(ctx ui.Context, _ ui.Event) { i.choose(ctx, "import") }

func (i *Identity) choose(ctx ui.Context, way string) {
	if i.way == way {
		i.way = ""
		return
	}
	i.way = way
	ctx.Defer(func(ui.Context) {
		if input := find(i.JSValue(), "."+way+" input"); input.Truthy() {
			input.Call("focus")
		}
	})
}
