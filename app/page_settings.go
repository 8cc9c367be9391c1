package app

import (
	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/components"
	"parley/wasm/port"
)

func (sh *shell) settingsPage() (ui.UI, []ui.UI, []ui.UI) {
	title := head("/", "Settings", "", nil)
	if !sh.s.known {
		return title, plainPage(ui.P().Class("empty").Text("Loading…")), nil
	}
	parts := []ui.UI{sh.identity(), sh.relays(), &components.Look{Pictures: sh.s.app.Look.Pictures}}
	if len(sh.s.app.Blocked) > 0 {
		parts = append(parts, sh.blocked())
	}
	return title, plainPage(parts...), nil
}

func (sh *shell) identity() ui.UI {
	i := &components.Identity{
		WebCrypto: sh.s.app.WebCrypto, BackupText: sh.s.backup,
		Forms: components.IdentityForms{
			Extension: sh.s.form(components.DoExtension), Create: sh.s.form(components.DoCreateKey),
			Remote: sh.s.form(components.DoRemote), Invite: sh.s.form(components.DoInviteSigner), Reconnect: sh.s.form(components.DoReconnect),
			Import: sh.s.form(components.DoImportKey), Unlock: sh.s.form(components.DoUnlock),
			Backup: sh.s.form(components.DoBackup), Check: sh.s.form(components.DoCheckBackup),
			Profile: sh.s.form(components.DoProfile),
		},
	}
	if w := sh.s.app.Remote; w != nil {
		i.Wait = components.RemoteWait{On: true, Asked: w.Stage == port.RemoteApproval, URI: w.URI, Link: w.Link, Relays: w.Relays}
	}
	if len(sh.s.app.Relays) > 0 {
		i.Relay = sh.s.app.Relays[0].URL
	}
	me := sh.s.app.Me
	if me != nil {
		i.SignedIn, i.Me = true, account(*me)
	}
	for _, other := range sh.s.app.Accounts {
		if me == nil || other.Person.PubKey != me.Person.PubKey {
			i.Others = append(i.Others, account(other))
		}
	}
	return i
}

func account(i port.Identity) components.Account {
	return components.Account{
		Person: i.Person, NPub: i.NPub, Signer: i.Signer, Locked: i.Locked, Away: i.Away, Relays: i.Relays, Link: i.Link,
		BackedUp: i.BackedUp, Sealed: i.Sealed,
	}
}

func (sh *shell) relays() ui.UI {
	r := &components.Relays{Add: sh.s.form(components.DoAddRelay), Change: sh.s.form(components.DoRelayAuth)}
	for _, v := range sh.s.app.Relays {
		r.List = append(r.List, components.Relay{URL: v.URL, State: v.State, Why: v.Why, Auth: v.Auth, Mine: v.Mine})
	}
	return r
}

// blocked lists whom the person does not want to read.
func (sh *shell) blocked() ui.UI {
	var items []ui.UI
	for _, who := range sh.s.app.Blocked {
		key := who.PubKey
		items = append(items, ui.Li().Class("line").Body(
			components.Face(who, "sm"),
			ui.Span().Class("grow").Body(components.Name(who.Name)),
			ui.Button().Type("button").Class("btn").Text("Unblock").OnClick(func(ctx ui.Context, _ ui.Event) {
				ctx.NewActionWithValue(components.DoUnblock, key)
			}, ui.EventScope(key)),
		))
	}
	return ui.Section().Class("panel").Aria("labelledby", "blocked-title").Body(
		ui.H2().ID("blocked-title").Text("Blocked"),
		ui.Ul().Class("lines").Body(items...),
	)
}
