package components

import (
	"strings"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"
)

// RemoteWait is an attempt to connect to a remote signer (NIP-46).
type RemoteWait struct {
	On     bool   // there is one
	Asked  bool   // the signer has been asked; a person may be reading there
	URI    string // the code to give to the signer; "" where it gave us an address
	Link   string // https address where the signer wants the person first
	Relays []string
}

// RemoteKey are the two ways to a remote signer: by an address that it shows, or
// by a code that it is given.
type RemoteKey struct {
	ui.Compo

	Form   FormState // of the address
	Invite FormState // of the code
	Wait   RemoteWait
	Relay  string // proposed for the code
}

// OnMount implements ui.Mounter.
func (r *RemoteKey) OnMount(ui.Context) {
	setValue(find(r.JSValue(), named("signer-relay")), r.Relay)
}

// Render implements ui.Composer.
func (r *RemoteKey) Render() ui.UI {
	busy := r.Wait.On || r.Form.Busy || r.Invite.Busy
	return ui.Div().Class("remote", "stack").Body(
		ui.Form().Class("stack").OnSubmit(r.onConnect).Body(
			field("bunker-address", "Bunker address", "text", "Your signer shows it when you add an app. It begins with bunker:// and can be used once."),
			r.Form.message(),
			ui.Div().Class("row").Body(submit("Connect", busy)),
		),
		ui.Div().Class("remote-wait", "stack").Body(r.wait()...),
		ui.Details().Class("fold").Open(r.Wait.URI != "").Body(
			ui.Summary().Text("Give your signer a code instead"),
			ui.Form().Class("stack").OnSubmit(r.onInvite).Body(
				field("signer-relay", "Relay for the signer", "text", "Where the two of them meet. Your signer has to reach it too: a relay on this machine is no use to a phone."),
				r.Invite.message(),
				ui.Div().Class("row").Body(submit("Make a code", busy)),
			),
		),
	)
}

// wait says how the attempt stands.
func (r *RemoteKey) wait() []ui.UI {
	w := r.Wait
	if !w.On {
		return nil
	}
	at := make([]string, len(w.Relays))
	for i, relay := range w.Relays {
		at[i] = host(relay)
	}
	words := "Looking for your signer at " + strings.Join(at, ", ") + "…"
	switch {
	case w.Link != "":
		words = "Your signer wants you to sign in on its own site first."
	case w.Asked:
		words = "Waiting for your approval. Your signer asks whether Parley may use your key."
	case w.URI != "":
		words = "Waiting for your signer. Paste this code there; whoever has it could pose as your signer, so show it to nobody else."
	}
	parts := []ui.UI{ui.P().Role("status").Text(words)}
	var row []ui.UI
	if w.Link != "" {
		row = append(row, link(w.Link).Class("btn", "main").Text("Open "+host(w.Link)))
	}
	if w.URI != "" && !w.Asked {
		row = append(row, ui.Button().Type("button").Class("btn", "main").Text("Copy code").OnClick(r.onCopy))
	}
	row = append(row, ui.Button().Type("button").Class("btn").Text("Cancel").OnClick(r.onCancel))
	parts = append(parts, ui.Div().Class("row").Body(row...))
	if w.URI != "" && !w.Asked {
		parts = append(parts, ui.Pre().Class("secret").TabIndex(0).Aria("label", "Code for your signer").Body(ui.Code().Text(w.URI)))
	}
	return parts
}

func (r *RemoteKey) onConnect(ctx ui.Context, e ui.Event) {
	e.PreventDefault()
	ctx.NewActionWithValue(DoRemote, valueOf(r.JSValue(), named("bunker-address")))
}

func (r *RemoteKey) onInvite(ctx ui.Context, e ui.Event) {
	e.PreventDefault()
	ctx.NewActionWithValue(DoInviteSigner, valueOf(r.JSValue(), named("signer-relay")))
}

func (r *RemoteKey) onCopy(ctx ui.Context, _ ui.Event) {
	ctx.NewActionWithValue(DoCopy, Copy{Text: r.Wait.URI, What: "Code"})
}

func (r *RemoteKey) onCancel(ctx ui.Context, _ ui.Event) { ctx.NewAction(DoCancelSigner) }

// remoteAccount says where the key is that a remote signer holds, and what to do
// when the signer is away or wants the person first.
func (i *Identity) remoteAccount() []ui.UI {
	at := make([]ui.UI, 0, 2*len(i.Me.Relays))
	for n, relay := range i.Me.Relays {
		if n > 0 {
			at = append(at, ui.Text(", "))
		}
		at = append(at, ui.Code().Dir("ltr").Text(relay))
	}
	words := append([]ui.UI{ui.Text("Your key is with a remote signer, not in this browser. It is reached over ")}, at...)
	parts := []ui.UI{ui.P().Class("sub").Body(words...)}
	var row []ui.UI
	if i.Me.Link != "" {
		parts = append(parts, ui.P().Text(signerLinkWords))
		row = append(row, link(i.Me.Link).Class("btn", "main").Text("Open "+host(i.Me.Link)))
	}
	if i.Me.Away != "" {
		parts = append(parts, ui.P().Class("problem").Role("alert").Dir("auto").Text(i.Me.Away))
		row = append(row, ui.Button().Type("button").Class("btn", "main").Text("Reconnect").
			Disabled(i.Forms.Reconnect.Busy).OnClick(i.onReconnect))
	}
	if len(row) > 0 {
		parts = append(parts, ui.Div().Class("row").Body(row...))
	}
	return parts
}

const signerLinkWords = "Your remote signer wants you to sign in on its own site before it goes on."

// SignerLink is the banner of a remote signer that wants the person first.
func SignerLink(address string) *Banner {
	return &Banner{Tone: "warn", Text: signerLinkWords, Label: "Open " + host(address), Href: address}
}

func (i *Identity) onReconnect(ctx ui.Context, _ ui.Event) { ctx.NewAction(DoReconnect) }
