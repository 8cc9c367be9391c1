package app

import (
	"encoding/json"

	"parley/components"
	"parley/wasm/port"
)

func (sh *shell) createKey(v components.Secret) {
	sh.s.backup = ""
	sh.submit(components.DoCreateKey, port.CreateKey, port.Secret{Passphrase: v.Passphrase}, "Your key is made. Save its backup now.", nil)
}

func (sh *shell) importKey(v components.Secret) {
	sh.s.backup = ""
	sh.submit(components.DoImportKey, port.ImportKey, port.Secret{Secret: v.Secret, Passphrase: v.Passphrase}, "Signed in", nil)
}

func (sh *shell) useRemote(address string) {
	sh.s.setForm(components.DoInviteSigner, components.FormState{})
	sh.submit(components.DoRemote, port.UseRemote, port.RemoteParams{Address: address}, "Signed in", nil)
}

func (sh *shell) inviteSigner(relay string) {
	sh.s.setForm(components.DoRemote, components.FormState{})
	sh.submit(components.DoInviteSigner, port.InviteRemote, port.RelayParams{URL: relay}, "Signed in", nil)
}

// reconnect looks for the remote signer that is away, and says what came of it.
func (sh *shell) reconnect() {
	if sh.s.form(components.DoReconnect).Busy {
		return
	}
	sh.s.setForm(components.DoReconnect, components.FormState{Busy: true})
	sh.say("Looking for your signer…", false)
	sh.link.Call(port.Reconnect, nil, func(_ json.RawMessage, err *port.Error) {
		sh.s.setForm(components.DoReconnect, components.FormState{})
		if err != nil {
			sh.say(err.Message, true)
			return
		}
		sh.say("Your signer is back", false)
	})
}

func (sh *shell) unlock(v components.Secret) {
	sh.submit(components.DoUnlock, port.Unlock, port.Secret{Passphrase: v.Passphrase}, "", nil)
}

// saveBackup shows the backup and saves it as a file.
func (sh *shell) saveBackup() {
	sh.submit(components.DoBackup, port.Backup, nil, "", func(value json.RawMessage) {
		var backup port.BackupText
		if json.Unmarshal(value, &backup) != nil || backup.Text == "" {
			return
		}
		sh.s.backup = backup.Text
		download(backup.Name, backup.Text+"\n")
	})
}

func (sh *shell) checkBackup(v components.Secret) {
	sh.submit(components.DoCheckBackup, port.CheckBackup, port.Secret{Secret: v.Secret}, "", func(json.RawMessage) {
		sh.s.backup = "" // it has been saved: it need not stand on the page
	})
}

func (sh *shell) signOut(wipe bool) {
	sh.drafts.flush()
	sh.submit(components.DoSignOut, port.SignOut, port.SignOutParams{Wipe: wipe}, "", func(json.RawMessage) {
		sh.openDialog(components.DialogCall{})
		sh.s.backup = ""
		if wipe {
			forgetTab()
		}
	})
}

func (sh *shell) setProfile(v components.Profile) {
	sh.submit(components.DoProfile, port.SetProfile, port.Profile{Name: v.Name, About: v.About, Picture: v.Picture}, "Saved", nil)
}

func (sh *shell) addRelay(v components.RelayChange) {
	sh.submit(components.DoAddRelay, port.AddRelay, port.RelayParams{URL: v.URL}, "Added", nil)
}

// removeRelay takes a relay off the list. Its setting comes back with it.
func (sh *shell) removeRelay(v components.RelayChange) {
	before := components.RelayChange{URL: v.URL}
	for _, r := range sh.s.app.Relays {
		if r.URL == v.URL {
			before.Auth = r.Auth
		}
	}
	sh.submit(components.DoRelayAuth, port.RemoveRelay, port.RelayParams{URL: v.URL}, "", func(json.RawMessage) {
		sh.tell(v.URL+" is no longer among your relays.", components.DoRelayAuth, before)
	})
}

func (sh *shell) changeRelay(method string, v components.RelayChange) {
	sh.submit(components.DoRelayAuth, method, port.RelayParams{URL: v.URL, Auth: v.Auth}, "", nil)
}

func (sh *shell) answerRelay(v components.RelayAnswer) {
	method := port.OpenRelay
	if v.Kind == "auth" {
		method = port.AuthRelay
	}
	closeDialog()
	// The core takes the dialog away; until it has, it is not shown again.
	sh.s.answered = v.Kind + " " + v.URL
	sh.call(method, port.RelayParams{URL: v.URL, Allow: v.Allow})
}
