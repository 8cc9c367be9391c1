package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"

	"parley/wasm/port"
	"parley/wasm/room"
	"parley/wasm/signer"
	"parley/wasm/store"
)

// Handle takes one envelope from a tab. It returns at once; the work is done
// in a goroutine of the core's, so that a slow call delays no other. Calls of
// one tab begin in the order in which they are handed in. After Run has
// returned they are not answered any more.
func (c *Core) Handle(ctx context.Context, e port.Envelope) {
	switch e.Type {
	case port.Hello:
		c.mu.Lock()
		c.strange[e.Tab] = e.Build != c.Build
		if c.identity.lastTab == "" && !c.strange[e.Tab] {
			c.identity.lastTab = e.Tab
			c.openAgain()
		}
		c.mu.Unlock()
		c.Post(port.Envelope{Type: port.Hello, Tab: e.Tab, Build: c.Build})
	case port.Bye:
		c.gone(e.Tab)
	case port.Answer:
		c.mu.Lock()
		wait := c.answers[e.ID]
		delete(c.answers, e.ID)
		c.mu.Unlock()
		if wait.done != nil {
			wait.done <- e // capacity 1, and only the one who deletes it sends
		}
	case port.Call:
		begin, end := c.takeTurn(e.Tab)
		if !c.spawn(func() {
			defer end()
			ctx, cancel := context.WithCancel(begin(ctx))
			defer cancel()
			defer context.AfterFunc(c.ctx, cancel)()
			c.reply(e, c.call(ctx, e))
		}) {
			end()
		}
	}
}

// outcome is what a call came to.
type outcome struct {
	value any
	err   error
}

func (c *Core) call(ctx context.Context, e port.Envelope) outcome {
	c.mu.Lock()
	strange := c.strange[e.Tab]
	c.mu.Unlock()
	if strange {
		return outcome{err: &port.Error{Code: port.CodeUnavailable, Message: "Parley was updated. Press Update to go on."}}
	}
	handle, ok := methods[e.Method]
	if !ok {
		return outcome{err: &port.Error{Code: port.CodeInvalid, Message: fmt.Sprintf("The core knows no call %q.", e.Method)}}
	}
	return c.doOnce(ctx, e, func() outcome {
		value, err := handle(c, withTab(ctx, e.Tab), e.Value)
		return outcome{value, err}
	})
}

func (c *Core) reply(e port.Envelope, o outcome) {
	answer := port.Envelope{Type: port.Reply, Tab: e.Tab, ID: e.ID}
	if o.err == nil && o.value != nil {
		answer.Value, o.err = json.Marshal(o.value)
	}
	if o.err != nil {
		answer.Value, answer.Error = nil, coded(o.err)
	}
	c.Post(answer)
}

// coded gives an error the code that the page acts on.
func coded(err error) *port.Error {
	var known *port.Error
	if errors.As(err, &known) {
		return known
	}
	code := port.CodeInternal
	for _, k := range []struct {
		err  error
		code string
	}{
		{signer.ErrRefused, port.CodeRefused},
		{signer.ErrOtherKey, port.CodeRefused},
		{signer.ErrBadSigner, port.CodeRefused},
		{signer.ErrAway, port.CodeUnavailable},
		{signer.ErrLocked, port.CodeLocked},
		{signer.ErrKeyStore, port.CodeInvalid},
		{signer.ErrTooCostly, port.CodeInvalid},
		{signer.ErrNoWebCrypto, port.CodeInvalid},
		{signer.ErrNotKey, port.CodeInvalid},
		{signer.ErrPublicKey, port.CodeInvalid},
		{signer.ErrChecksum, port.CodeInvalid},
		{signer.ErrPassphrase, port.CodeInvalid},
		{signer.ErrBackup, port.CodeInvalid},
		{signer.ErrNotBunker, port.CodeInvalid},
		{store.ErrNotFound, port.CodeNotFound},
		{context.Canceled, port.CodeUnavailable},
		{context.DeadlineExceeded, port.CodeUnavailable},
	} {
		if errors.Is(err, k.err) {
			code = k.code
			break
		}
	}
	return &port.Error{Code: code, Message: sentence(err.Error())}
}

// sentence begins a text for people with a capital letter.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

func invalid(format string, args ...any) error {
	return &port.Error{Code: port.CodeInvalid, Message: fmt.Sprintf(format, args...)}
}

// method is a handler of one call, with its value still in JSON.
type method func(c *Core, ctx context.Context, value json.RawMessage) (any, error)

// takes makes a method of a handler with a typed value and a typed reply.
func takes[V, R any](handle func(*Core, context.Context, V) (R, error)) method {
	return func(c *Core, ctx context.Context, value json.RawMessage) (any, error) {
		var v V
		if len(value) > 0 {
			if err := json.Unmarshal(value, &v); err != nil {
				return nil, invalid("The call's value cannot be read: %v", err)
			}
		}
		return handle(c, ctx, v)
	}
}

// does is takes for a handler that replies with nothing.
func does[V any](handle func(*Core, context.Context, V) error) method {
	return takes(func(c *Core, ctx context.Context, v V) (any, error) { return nil, handle(c, ctx, v) })
}

type nothing struct{}

// methods is every call there is.
var methods map[string]method

func init() {
	methods = map[string]method{
		port.Watch:   does((*Core).watch),
		port.Unwatch: does((*Core).unwatch),
		port.Window:  does((*Core).window),
		port.Probe:   does(func(c *Core, _ context.Context, _ nothing) error { c.pool.Probe(); c.wakeRemote(); return nil }),

		port.CreateKey:     does((*Core).createKey),
		port.ImportKey:     does((*Core).importKey),
		port.UseExtension:  does((*Core).useExtension),
		port.UseRemote:     does((*Core).useRemote),
		port.InviteRemote:  does((*Core).inviteRemote),
		port.CancelRemote:  does((*Core).cancelRemote),
		port.Reconnect:     does((*Core).reconnect),
		port.Unlock:        does((*Core).unlock),
		port.Backup:        takes((*Core).backup),
		port.CheckBackup:   does((*Core).checkBackup),
		port.SignOut:       does((*Core).signOut),
		port.SwitchAccount: does((*Core).switchAccount),
		port.SetProfile:    does((*Core).setProfile),

		port.AddRelay:    does((*Core).addRelay),
		port.RemoveRelay: does((*Core).removeRelay),
		port.OpenRelay:   does((*Core).openRelay),
		port.AuthRelay:   does((*Core).authRelay),

		port.CreateRoom:   takes((*Core).createRoom),
		port.EditRoom:     does((*Core).editRoom),
		port.DeleteRoom:   does((*Core).deleteRoom),
		port.JoinRoom:     does((*Core).joinRoom),
		port.LeaveRoom:    does((*Core).leaveRoom),
		port.AddMember:    does((*Core).addMember),
		port.RemoveMember: does((*Core).removeMember),
		port.Invite:       takes((*Core).invite),

		port.Send:        takes((*Core).send),
		port.React:       does((*Core).react),
		port.Unreact:     does((*Core).unreact),
		port.Edit:        does((*Core).edit),
		port.Delete:      does((*Core).deleteEvent),
		port.Retry:       does((*Core).retry),
		port.Discard:     takes((*Core).discard),
		port.Report:      does((*Core).report),
		port.Block:       does((*Core).block),
		port.Unblock:     does((*Core).unblock),
		port.SetDraft:    does((*Core).setDraft),
		port.GetDraft:    takes((*Core).getDraft),
		port.MarkRead:    does((*Core).markRead),
		port.MarkAllRead: does((*Core).markAllRead),

		port.SetLook:       does((*Core).setLook),
		port.DismissNotice: does((*Core).dismissNotice),
		port.Resolve:       takes((*Core).resolve),
		port.Upload:        takes((*Core).upload),

		port.SendAsk:    takes((*Core).sendAsk),
		port.AnswerAsk:  takes((*Core).answerAsk),
		port.DismissAsk: does((*Core).dismissAsk),
		port.RestoreAsk: does((*Core).restoreAsk),

		port.SendTask:   takes((*Core).sendTask),
		port.CancelTask: does((*Core).cancelTask),

		port.FindAgent:   takes((*Core).findAgent),
		port.ForgetAgent: does((*Core).forgetAgent),
		port.SendPrompt:  takes((*Core).sendPrompt),
		port.StopRun:     does((*Core).stopRun),
		port.CheckRun:    does((*Core).checkRun),
		port.DeleteRun:   does((*Core).deleteRun),
		port.SearchRuns:  takes((*Core).searchRuns),
		port.Decrypt:     does((*Core).decryptAgain),
	}
}

// ref checks a room's name as it came from the page.
func (c *Core) ref(r room.Ref) (room.Ref, error) {
	return c.normalRef(r)
}

type tabKey struct{}

func withTab(ctx context.Context, tab string) context.Context {
	return context.WithValue(ctx, tabKey{}, tab)
}

// tabOf gives the tab whose call this is; "" outside a call.
func tabOf(ctx context.Context) string {
	tab, _ := ctx.Value(tabKey{}).(string)
	return tab
}

// request is a call to a tab's browser extension that is not answered yet.
type request struct {
	tab  string
	done chan port.Envelope // capacity 1
}

// ask calls the browser extension in the tab that asked, or in any tab, and
// waits for the person. There is no time-out against somebody who reads a
// prompt; it ends with ctx.
func (c *Core) ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	passTurn(ctx)
	c.mu.Lock()
	c.nextID++
	id, wait := c.nextID, request{tabOf(ctx), make(chan port.Envelope, 1)}
	c.answers[id] = wait
	c.mu.Unlock()
	c.Post(port.Envelope{Type: port.Request, Tab: tabOf(ctx), ID: id, Method: method, Value: params})
	select {
	case answer := <-wait.done:
		if answer.Error != nil {
			return nil, answer.Error
		}
		return answer.Value, nil
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.answers, id)
		c.mu.Unlock()
		return nil, ctx.Err()
	}
}
