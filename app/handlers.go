package app

import (
	"encoding/json"
	"strings"
	"time"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/components"
	"parley/wasm/port"
	"parley/wasm/room"
)

// handlers is the list of every action that a component can post, with what
// answers it, but for forms and cards (cardHandlers) and agents and their
// sessions (agentHandlers). It is as long as the list is.
func (sh *shell) handlers() map[string]ui.ActionHandler {
	return map[string]ui.ActionHandler{
		components.DoCopy:   with(func(v components.Copy) { sh.copyText(v) }),
		components.DoGo:     with(func(path string) { sh.navigate(path) }),
		components.DoDialog: with(func(v components.DialogCall) { sh.openDialog(v) }),
		components.DoForget: with(func(action string) { sh.s.setForm(action, components.FormState{}) }),

		components.DoSend:    with(func(v components.Words) { sh.send(v) }),
		components.DoCancel:  plain(sh.cancelWriting),
		components.DoMention: with(func(p room.Person) { sh.s.write.name(p) }),
		components.DoTooBig:  with(func(n int) { sh.tooBig(n) }),

		components.DoReact:   with(func(v components.Mark) { sh.react(v) }),
		components.DoUnreact: with(func(v components.Mark) { sh.onEvent(port.Unreact, v.ID, "") }),
		components.DoReply:   with(func(id string) { sh.reply(id) }),
		components.DoEdit:    with(func(id string) { sh.edit(id) }),
		components.DoRetry:   with(func(id string) { sh.call(port.Retry, port.EventID{ID: id}) }),
		components.DoDiscard: with(func(id string) { sh.discard(id) }),
		components.DoJump:    with(func(id string) { sh.jump(id) }),
		components.DoDelete:  with(func(id string) { sh.onEvent(port.Delete, id, "") }),
		components.DoReport:  with(func(v components.Mark) { sh.report(v) }),
		components.DoBlock:   with(func(key string) { sh.block(key) }),

		components.DoExtension:    plain(func() { sh.submit(components.DoExtension, port.UseExtension, nil, "Signed in", nil) }),
		components.DoRemote:       with(func(address string) { sh.useRemote(address) }),
		components.DoInviteSigner: with(func(relay string) { sh.inviteSigner(relay) }),
		components.DoCancelSigner: plain(func() { sh.call(port.CancelRemote, nil) }),
		components.DoReconnect:    plain(sh.reconnect),
		components.DoCreateKey:    with(func(v components.Secret) { sh.createKey(v) }),
		components.DoImportKey:    with(func(v components.Secret) { sh.importKey(v) }),
		components.DoUnlock:       with(func(v components.Secret) { sh.unlock(v) }),
		components.DoBackup:       plain(sh.saveBackup),
		components.DoCheckBackup:  with(func(v components.Secret) { sh.checkBackup(v) }),
		components.DoSignOut:      with(func(wipe bool) { sh.signOut(wipe) }),
		components.DoSwitch:       with(func(key string) { sh.call(port.SwitchAccount, port.PubKey{PubKey: key}) }),
		components.DoProfile:      with(func(v components.Profile) { sh.setProfile(v) }),
		components.DoUnblock:      with(func(key string) { sh.call(port.Unblock, port.PubKey{PubKey: key}) }),

		components.DoAddRelay:    with(func(v components.RelayChange) { sh.addRelay(v) }),
		components.DoRemoveRelay: with(func(v components.RelayChange) { sh.removeRelay(v) }),
		components.DoRelayAuth:   with(func(v components.RelayChange) { sh.changeRelay(port.AddRelay, v) }),
		components.DoAskedRelay:  with(func(v components.RelayAnswer) { sh.answerRelay(v) }),

		components.DoCreateRoom:   with(func(v components.RoomChange) { sh.createRoom(v) }),
		components.DoEditRoom:     with(func(v components.RoomChange) { sh.editRoom(v) }),
		components.DoJoin:         plain(sh.join),
		components.DoLeave:        with(func(string) { sh.leaveRoom() }),
		components.DoInvite:       plain(sh.invite),
		components.DoAddMember:    with(func(key string) { sh.addMember(key) }),
		components.DoRemoveMember: with(func(key string) { sh.removeMember(key) }),
		doAddBack:                 with(func(v port.MemberParams) { sh.call(port.AddMember, v) }),
		components.DoReadAll:      plain(func() { sh.call(port.MarkAllRead, nil) }),
		components.DoPictures:     with(func(load bool) { sh.call(port.SetLook, port.Look{Pictures: load}) }),
		components.DoDismiss:      with(func(code string) { sh.call(port.DismissNotice, port.Notice{Code: code}) }),
		components.DoToastOff:     with(func(id int) { sh.toastOff(id) }),
		components.DoFind:         with(func(text string) { sh.find(text) }),

		components.DoReload:  plain(sh.reload),
		components.DoRestart: plain(restartCore),
		components.DoDetails: plain(sh.toggleDetails),
		components.DoLatest:  plain(sh.toLatest),
	}
}

// with makes a handler of a function that takes the action's value.
func with[T any](f func(T)) ui.ActionHandler {
	return func(_ ui.Context, a ui.Action) {
		if v, ok := a.Value.(T); ok {
			f(v)
		}
	}
}

// quietly is with for what changes nothing that is drawn.
func quietly[T any](f func(T)) ui.ActionHandler {
	return func(ctx ui.Context, a ui.Action) {
		ctx.PreventUpdate()
		if v, ok := a.Value.(T); ok {
			f(v)
		}
	}
}

// plain makes a handler of a function that takes nothing.
func plain(f func()) ui.ActionHandler {
	return func(ui.Context, ui.Action) { f() }
}

// call asks the core for something whose failure is said at the edge of the
// page.
func (sh *shell) call(method string, value any) {
	sh.link.Call(method, value, func(_ json.RawMessage, err *port.Error) {
		if err != nil {
			sh.say(err.Message, true)
		}
	})
}

// submit asks the core for what a form wants. Its state goes with it: busy,
// then the error or the words in done. then takes the reply.
func (sh *shell) submit(form, method string, value any, done string, then func(json.RawMessage)) {
	if sh.s.form(form).Busy {
		return // a second press
	}
	sh.s.setForm(form, components.FormState{Busy: true})
	sh.link.Call(method, value, func(reply json.RawMessage, err *port.Error) {
		sh.changed()
		if err != nil {
			sh.s.setForm(form, components.FormState{Error: err.Message})
			return
		}
		sh.s.setForm(form, components.FormState{Done: done})
		if then != nil {
			then(reply)
		}
	})
}

// toastFor is how long a line at the edge of the page stays.
const toastFor = 6 * time.Second

// maxToasts is how many stand there at once.
const maxToasts = 3

// say shows a line at the edge of the page for a while.
func (sh *shell) say(text string, bad bool) {
	sh.toast(components.Toast{Text: text, Bad: bad}, toastFor)
}

// undoFor is how long a line stays that can take something back.
const undoFor = 12 * time.Second

// tell says what was done, with a way to take it back.
func (sh *shell) tell(text, undo string, value any) {
	sh.toast(components.Toast{Text: text, Undo: components.Undo{Action: undo, Value: value}}, undoFor)
}

func (sh *shell) toast(t components.Toast, stays time.Duration) {
	sh.s.toast++
	t.ID = sh.s.toast
	list := append(sh.s.toasts[:len(sh.s.toasts):len(sh.s.toasts)], t)
	if len(list) > maxToasts {
		list = list[len(list)-maxToasts:]
	}
	sh.s.toasts = list
	sh.changed()
	sh.after(stays, func() { sh.toastOff(t.ID) })
}

func (sh *shell) toastOff(id int) {
	var kept []components.Toast
	for _, t := range sh.s.toasts {
		if t.ID != id {
			kept = append(kept, t)
		}
	}
	sh.s.toasts = kept
	sh.changed()
}

// copyText puts a text into the clipboard. A path of the app becomes a whole
// address.
func (sh *shell) copyText(c components.Copy) {
	text := c.Text
	if strings.HasPrefix(text, "/") {
		text = origin() + components.Path(text)
	}
	toClipboard(text, func(ok bool) {
		sh.inbox.post(func() {
			if ok {
				sh.say(c.What+" copied", false)
			} else {
				sh.say("The browser does not let the page copy. Here it is: "+text, true)
			}
		})
	})
}

func (sh *shell) openDialog(call components.DialogCall) {
	closeDialog()
	sh.s.dialog = call
	for _, form := range []string{components.DoCreateRoom, components.DoEditRoom, components.DoSignOut} {
		sh.s.setForm(form, components.FormState{})
	}
}
