package app

import (
	"encoding/json"

	"parley/components"
	"parley/wasm/port"
	"parley/wasm/room"
)

// send sends what was written: a new message, a reply or an edit. The field is
// empty already; when the core refuses, the words go back into it.
func (sh *shell) send(words components.Words) {
	t, r, w := sh.s.main, sh.s.route, sh.s.write
	if r.Page == Agent || r.Page == Session {
		sh.sendPrompt(words)
		return
	}
	if t == nil {
		return
	}
	sh.drafts.sent(words.Key)
	failed := func(err *port.Error) {
		sh.fill(words.Text, false)
		sh.say(err.Message, true)
	}
	text := room.LinkNames(words.Text, w.named)
	if w.edit != "" {
		sh.cancelWriting()
		sh.link.Call(port.Edit, port.EventParams{Room: sh.room(), ID: w.edit, Text: text}, func(_ json.RawMessage, err *port.Error) {
			if err != nil {
				failed(err)
			}
		})
		return
	}
	place := sh.s.route.Path()
	files, why := sh.s.files.take(place)
	if why != "" {
		failed(&port.Error{Message: why})
		return
	}
	params := port.SendParams{Room: sh.room(), ReplyTo: w.replyTo, Text: text, Files: files, Draft: words.Key}
	if r.Page == Thread {
		params.Thread = r.ID
	}
	sh.stopReply()
	sh.link.Call(port.Send, params, func(_ json.RawMessage, err *port.Error) {
		if err != nil {
			sh.s.files.giveBack(place, files)
			failed(err)
		}
	})
	sh.toLatest()
}

// fill puts a text into the composer.
func (sh *shell) fill(text string, replace bool) {
	sh.s.write.fill, sh.s.write.replace = text, replace
	sh.s.write.filled++
	sh.changed()
}

func (sh *shell) reply(id string) {
	item := sh.item(id)
	if item == nil {
		return
	}
	sh.cancelWriting()
	sh.s.write.replyTo, sh.s.write.over = id, "Reply to "+item.Message.Author.Name
	sh.drawn(focusComposer)
}

func (sh *shell) edit(id string) {
	item := sh.item(id)
	if item == nil || !item.Own {
		return
	}
	sh.drafts.flush()
	sh.s.write.replyTo, sh.s.write.edit, sh.s.write.over = "", id, "Edit your message"
	sh.fill(sh.s.write.readable(item.Message.Text, item.Message.Refs), true)
}

// cancelWriting gives up a reply or an edit. What was being edited leaves the
// field, what is a reply's stays.
func (sh *shell) cancelWriting() {
	if sh.s.write.edit != "" {
		sh.fill("", true)
	}
	sh.stopReply()
}

func (sh *shell) stopReply() {
	sh.s.write.replyTo, sh.s.write.edit, sh.s.write.over = "", "", ""
}

// discard takes a message back that has not gone out. Its words return to the
// composer.
func (sh *shell) discard(id string) {
	var refs []room.Link
	if item := sh.item(id); item != nil {
		refs = item.Message.Refs
	}
	sh.link.Call(port.Discard, port.EventID{ID: id}, func(value json.RawMessage, err *port.Error) {
		if err != nil {
			sh.say(err.Message, true)
			return
		}
		var back port.DiscardedText
		if json.Unmarshal(value, &back) == nil && back.Text != "" {
			sh.fill(sh.s.write.readable(back.Text, refs), false)
		}
	})
}

func (sh *shell) tooBig(n int) {
	sh.say("That would make "+components.Number(n)+" characters; a message holds "+
		components.Number(components.MaxPaste)+". It is still in your clipboard: paste a part of it.", true)
}

// onEvent does something to a message of the room that is open.
func (sh *shell) onEvent(method, id, text string) {
	sh.call(method, port.EventParams{Room: sh.room(), ID: id, Text: text})
}

// react adds a reaction. On a request "+" and "-" would be answers, so they are
// never sent as reactions.
func (sh *shell) react(m components.Mark) {
	item := sh.item(m.ID)
	if m.Text == "" || item != nil && item.Message.Request && (m.Text == "+" || m.Text == "-") {
		return
	}
	sh.onEvent(port.React, m.ID, m.Text)
}

func (sh *shell) report(m components.Mark) {
	sh.link.Call(port.Report, port.EventParams{Room: sh.room(), ID: m.ID, Text: m.Text}, func(_ json.RawMessage, err *port.Error) {
		if err != nil {
			sh.say(err.Message, true)
			return
		}
		sh.say("Reported", false)
	})
}

func (sh *shell) block(key string) {
	sh.link.Call(port.Block, port.PubKey{PubKey: key}, func(_ json.RawMessage, err *port.Error) {
		if err != nil {
			sh.say(err.Message, true)
			return
		}
		sh.tell("Blocked. You no longer see what they write.", components.DoUnblock, key)
	})
}

// item is an entry of the log that is open, or nil.
func (sh *shell) item(id string) *port.Item {
	if sh.s.main == nil {
		return nil
	}
	return sh.s.main.items[id]
}
