package components

import (
	"strings"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Words about passphrases.
const (
	passphraseHint = "It may stay empty: then the key works in this browser without asking. A forgotten passphrase cannot be helped; keep the backup and the passphrase apart."
	passphraseMust = "On plain http the browser cannot keep a key safe without a passphrase, so one is needed here. A forgotten passphrase cannot be helped."
)

func hintOf(webCrypto bool) string {
	if webCrypto {
		return passphraseHint
	}
	return passphraseMust
}

// CreateKey is the form that makes a key.
type CreateKey struct {
	ui.Compo

	Form      FormState
	WebCrypto bool
}

// Render implements ui.Composer.
func (c *CreateKey) Render() ui.UI {
	return ui.Form().Class("create", "stack").OnSubmit(c.onSubmit).Body(
		field("new-passphrase", "Passphrase", "password", hintOf(c.WebCrypto)),
		c.Form.message(),
		ui.Div().Class("row").Body(submit("Create", c.Form.Busy)),
	)
}

func (c *CreateKey) onSubmit(ctx ui.Context, e ui.Event) {
	e.PreventDefault()
	ctx.NewActionWithValue(DoCreateKey, Secret{Passphrase: valueOf(c.JSValue(), named("new-passphrase"))})
}

// ImportKey is the form that takes a key the person has: nsec, hex or
// ncryptsec.
type ImportKey struct {
	ui.Compo

	Form      FormState
	WebCrypto bool
}

// Render implements ui.Composer.
func (i *ImportKey) Render() ui.UI {
	return ui.Form().Class("import", "stack").OnSubmit(i.onSubmit).Body(
		field("secret-key", "Secret key", "password", "An nsec, an ncryptsec or 64 hex digits. It never leaves this browser."),
		field("import-passphrase", "Passphrase", "password", "An ncryptsec keeps its own: give it here. For any other key: "+hintOf(i.WebCrypto)),
		i.Form.message(),
		ui.Div().Class("row").Body(submit("Import", i.Form.Busy)),
	)
}

func (i *ImportKey) onSubmit(ctx ui.Context, e ui.Event) {
	e.PreventDefault()
	ctx.NewActionWithValue(DoImportKey, Secret{
		Secret:     valueOf(i.JSValue(), named("secret-key")),
		Passphrase: valueOf(i.JSValue(), named("import-passphrase")),
	})
}

// Unlock is the form that opens a key under a passphrase.
type Unlock struct {
	ui.Compo

	Form FormState
}

// Render implements ui.Composer.
func (u *Unlock) Render() ui.UI {
	return ui.Form().Class("unlock").OnSubmit(u.onSubmit).Body(
		ui.P().Class("grow").Text("Your key is locked. Reading works; what you write waits."),
		field("unlock-passphrase", "Passphrase", "password", ""),
		submit("Unlock", u.Form.Busy),
		u.Form.message(),
	)
}

func (u *Unlock) onSubmit(ctx ui.Context, e ui.Event) {
	e.PreventDefault()
	ctx.NewActionWithValue(DoUnlock, Secret{Passphrase: valueOf(u.JSValue(), named("unlock-passphrase"))})
}

// Backup has the person save a key made here, and prove that they did.
type Backup struct {
	ui.Compo

	Text     string // the backup, once it was asked for
	BackedUp bool
	Sealed   bool
	Forms    [2]FormState // of saving and of checking
}

// Render implements ui.Composer.
func (b *Backup) Render() ui.UI {
	what := "The backup is your secret key: who has it is you. Keep it in a password manager or on paper."
	if b.Sealed {
		what = "The backup is your secret key under your passphrase. It is worth nothing without the passphrase, and you are lost without both."
	}
	parts := []ui.UI{ui.H3().Text("Backup")}
	if b.BackedUp {
		parts = append(parts, ui.P().Class("done").Role("status").Text("Backup checked"))
	} else {
		parts = append(parts, ui.P().Class("sub").Text(what))
	}
	parts = append(parts, b.Forms[0].message(), ui.Div().Class("row").Body(
		ui.Button().Type("button").Class("btn").Text("Save backup").OnClick(b.onSave).Disabled(b.Forms[0].Busy),
	))
	if b.Text != "" {
		parts = append(parts, ui.Pre().Class("secret").TabIndex(0).Aria("label", "Backup").Body(ui.Code().Text(b.Text)))
	}
	if b.Text != "" && !b.BackedUp {
		parts = append(parts, ui.Form().Class("stack").OnSubmit(b.onCheck).Body(
			field("backup-check", "Paste your backup to check it", "text", "From where you saved it, not from above."),
			b.Forms[1].message(),
			ui.Div().Class("row").Body(submit("Check backup", b.Forms[1].Busy)),
		))
	}
	return ui.Div().Class("stack", "backup").ID("backup").Body(parts...)
}

func (b *Backup) onSave(ctx ui.Context, _ ui.Event) { ctx.NewAction(DoBackup) }

func (b *Backup) onCheck(ctx ui.Context, e ui.Event) {
	e.PreventDefault()
	ctx.NewActionWithValue(DoCheckBackup, Secret{Secret: valueOf(b.JSValue(), named("backup-check"))})
}

// ProfileForm is what a person says about themselves.
type ProfileForm struct {
	ui.Compo

	PubKey  string
	Name    string
	About   string
	Picture string
	Form    FormState
}

// CompoID implements ui.DismountEnforcer: what was typed belongs to one person.
func (p *ProfileForm) CompoID() string { return p.PubKey }

// Render implements ui.Composer.
func (p *ProfileForm) Render() ui.UI {
	return ui.Details().Class("fold").Body(
		ui.Summary().Text("Profile"),
		ui.Form().Class("stack").OnSubmit(p.onSubmit).Body(
			field("profile-name", "Name", "text", "Public, like everything in a profile."),
			field("profile-about", "About", "text", ""),
			field("profile-picture", "Picture", "url", "The address of a picture, https://… Others see it only where they let pictures load."),
			p.Form.message(),
			ui.Div().Class("row").Body(submit("Save profile", p.Form.Busy)),
		),
	)
}

// OnMount implements ui.Mounter.
func (p *ProfileForm) OnMount(ui.Context) {
	setValue(find(p.JSValue(), named("profile-name")), p.Name)
	setValue(find(p.JSValue(), named("profile-about")), p.About)
	setValue(find(p.JSValue(), named("profile-picture")), p.Picture)
}

func (p *ProfileForm) onSubmit(ctx ui.Context, e ui.Event) {
	e.PreventDefault()
	ctx.NewActionWithValue(DoProfile, Profile{
		Name:    valueOf(p.JSValue(), named("profile-name")),
		About:   valueOf(p.JSValue(), named("profile-about")),
		Picture: strings.TrimSpace(valueOf(p.JSValue(), named("profile-picture"))),
	})
}

// SignOut asks before an account leaves this browser.
type SignOut struct {
	ui.Compo

	Lost bool // the key is only here: its backup was not checked
	Form FormState
}

// OnMount implements ui.Mounter.
func (s *SignOut) OnMount(ctx ui.Context) { showDialog(ctx) }

// Render implements ui.Composer.
func (s *SignOut) Render() ui.UI {
	text := "Your drafts and what waits to be sent stay in this browser unless you wipe it."
	if s.Lost {
		text = "Your key is only in this browser. Save its backup and check it first: without it this identity is lost, and nobody can give it back."
	}
	return dialogFrame("Sign out", s.onCancel,
		ui.P().Text(text),
		tick("wipe", "Wipe this browser", "Keys, messages, drafts and settings of every account are removed from it.", false),
		s.Form.message(),
		ui.Div().Class("row", "end").Body(
			ui.Button().Type("button").Class("btn").Text("Cancel").OnClick(s.onCancel),
			ui.Button().Type("button").Class("btn", "main").Text("Sign out").
				Disabled(s.Lost || s.Form.Busy).OnClick(s.onSignOut),
		),
	)
}

func (s *SignOut) onSignOut(ctx ui.Context, _ ui.Event) {
	ctx.NewActionWithValue(DoSignOut, checked(s.JSValue(), named("wipe")))
}

func (s *SignOut) onCancel(ctx ui.Context, e ui.Event) {
	e.PreventDefault()
	closeDialog(ctx)
}
