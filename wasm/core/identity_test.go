//go:build !js

package core

import (
	"encoding/json"
	"errors"
	"testing"

	"parley/wasm/port"
	"parley/wasm/run"
	"parley/wasm/store"
)

func (p *page) draft(key string) string {
	p.t.Helper()
	var d port.Draft
	if err := json.Unmarshal(p.must(port.GetDraft, port.Draft{Key: key}), &d); err != nil {
		p.t.Fatal(err)
	}
	return d.Text
}

func TestWhatIsTypedBelongsToTheAccount(t *testing.T) {
	ana := open(t, setup{})
	first := ana.signUp()
	ana.must(port.SetDraft, port.Draft{Key: "place", Text: "mine"})
	ana.must(port.Block, port.PubKey{PubKey: agentKey})
	ana.must(port.CreateKey, port.Secret{})
	if got := ana.draft("place"); got != "" {
		t.Errorf("another account finds %q", got)
	}
	ana.wait("nobody to be blocked", func() bool { return len(ana.app.Blocked) == 0 })
	ana.must(port.SwitchAccount, port.PubKey{PubKey: first})
	if got := ana.draft("place"); got != "mine" {
		t.Errorf("back again, the draft is %q", got)
	}
	ana.wait("the block to hold", func() bool { return len(ana.app.Blocked) == 1 })
}

func TestAWipeForgetsAndTheRoomOnTheScreenIsReadAnew(t *testing.T) {
	url := startRelay(t).url
	ben := open(t, setup{relay: url, rooms: []string{"lobby"}})
	ben.signUp()
	ben.enter(lobby(url))
	ben.say(lobby(url), "still here")
	ana := open(t, setup{relay: url, rooms: []string{"lobby"}})
	ana.must(port.CreateKey, port.Secret{})
	ana.enter(lobby(url))
	ana.sees("room", "still here")
	ana.must(port.SetDraft, port.Draft{Key: "place", Text: "secret"})
	var backup port.BackupText
	if err := json.Unmarshal(ana.must(port.Backup, nil), &backup); err != nil {
		t.Fatal(err)
	}
	ana.must(port.CheckBackup, port.Secret{Secret: backup.Text})
	ana.must(port.SignOut, port.SignOutParams{Wipe: true})
	ana.wait("to be signed out", func() bool { return ana.app.Me == nil && len(ana.app.Accounts) == 0 })
	if got := ana.draft("place"); got != "" {
		t.Errorf("the wiped browser still knows %q", got)
	}
	ana.sees("room", "still here")
}

func TestAnExtensionIsNotAskedWhatWasJustWritten(t *testing.T) {
	fake, ext := newFakeRelay(), newExtension(t)
	ana := open(t, setup{relay: fakeURL, dial: fake.dial, ext: ext.answer})
	ana.must(port.UseExtension, nil)
	ana.wait("to be online", ana.online)
	sent := ana.prompt(port.PromptParams{Agent: agentKey, Text: "are you there?"})
	ana.wait("the words", func() bool {
		s := ana.sessions["session"]
		return s != nil && s.runs[sent.ID].Question == "are you there?" && s.runs[sent.ID].State != run.StateWaiting
	})
	if n := ext.count(port.ExtDecrypt); n != 0 {
		t.Errorf("it was asked %d times to decrypt", n)
	}
}

// failing is a store whose durability ends.
type failing struct {
	store.Store
	why chan string
}

func (f failing) Durable() (bool, string) {
	select {
	case why := <-f.why:
		f.why <- why
		return false, why
	default:
		return true, ""
	}
}

func TestAStoreThatFailsIsToldOnceAlsoAfterOtherTrouble(t *testing.T) {
	f := failing{store.NewMemory(""), make(chan string, 1)}
	ana := open(t, setup{store: f})
	ana.core.notice("storage", errors.New("something else").Error())
	ana.must(port.DismissNotice, port.Notice{Code: "storage"})
	f.why <- "The disk is full."
	ana.core.StoreFailed("The disk is full.")
	ana.wait("the words of the store", func() bool {
		return len(ana.app.Notices) == 1 && ana.app.Notices[0].Text == "The disk is full."
	})
	ana.mu.Lock()
	code := ana.app.Notices[0].Code
	ana.mu.Unlock()
	ana.must(port.DismissNotice, port.Notice{Code: code})
	ana.core.StoreFailed("The disk is full.")
	ana.wait("it to stay away", func() bool { return len(ana.app.Notices) == 0 })
}
