package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
)

func TestWritingKeepsWhatWasWritten(t *testing.T) {
	s := serve(t, "-no-agent")
	ana := visit(t, s, "ana", "/").signUp().enter("lobby")
	ana.fill("Message", "half a thought")
	ana.key("Shift+Enter")
	ana.insert("and its other half")
	value := `document.querySelector("textarea[aria-label=Message], textarea").value`
	ana.wait("a new line", value+` === "half a thought\nand its other half"`)
	ana.reload()
	ana.has("textbox", "Message")
	ana.wait("the draft after a reload", value+` === "half a thought\nand its other half"`)
	ana.open("/settings")
	ana.open("/rooms/lobby")
	ana.wait("the draft after going away", value+` === "half a thought\nand its other half"`)

	// Enter in the middle of composing a character sends nothing.
	ana.fill("Message", "日本")
	eval[bool](ana, `(() => { const box = e2e.find("textbox", "Message"); box.focus(); box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true, cancelable: true })); return true; })()`)
	ana.wait("nothing to be sent", value+` === "日本" && e2e.messages().length === 0`)
	ana.key("Enter")
	ana.reads("日本")
	ana.wait("an empty composer", value+` === ""`)
}

func TestAGiantPasteIsRefusedWithANote(t *testing.T) {
	s := serve(t, "-no-agent")
	ana := visit(t, s, "ana", "/").signUp().enter("lobby")
	ana.fill("Message", "before")
	eval[bool](ana, `(() => {
		const box = e2e.find("textbox", "Message"), data = new DataTransfer();
		data.setData("text/plain", "x".repeat(3_000_000));
		box.focus();
		box.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
		return true;
	})()`)
	ana.wait("a note about the paste", `/a message holds 100,000/.test(document.body.innerText)`)
	ana.wait("what was written to stay", `e2e.find("textbox", "Message").value.startsWith("before")`)
}

func TestReplyReactEditAndDelete(t *testing.T) {
	s := serve(t, "-no-agent")
	ana := visit(t, s, "ana", "/").signUp().enter("lobby")
	ben := visit(t, s, "ben", "/").signUp().enter("lobby")
	ana.say("An aple a day")
	ana.stands("An aple a day", "stored")
	ana.inMessage("An aple a day", "Edit")
	ana.wait("the old words in the composer", `document.querySelector("textarea").value === "An aple a day"`)
	ana.fill("Message", "An apple a day")
	ana.key("Enter")
	ben.reads("An apple a day")
	ben.sees("edited")

	ben.inMessage("An apple a day", "React")
	ben.wait("the picker", `e2e.all("button").some((b) => b.innerText.includes("👍") && !b.closest("[data-event] .reactions"))`)
	ben.clickAt(`e2e.all("button").find((b) => b.innerText.trim() === "👍")`)
	ana.wait("the reaction", `e2e.messages()[0].innerText.includes("👍")`)

	ben.inMessage("An apple a day", "Reply")
	ben.fill("Message", "keeps the doctor away")
	ben.key("Enter")
	ana.reads("An apple a day", "keeps the doctor away")
	ana.wait("the quote", `document.querySelector("[data-quote]")?.innerText.includes("An apple a day")`)

	ben.inMessage("keeps the doctor away", "Delete")
	ben.confirm("Delete")
	ana.reads("An apple a day")
}

// inMessage presses a button of a message, in its menu if need be.
func (p *person) inMessage(text, name string) {
	p.t.Helper()
	message := `e2e.messages().find((m) => m.innerText.includes(` + js(text) + `))`
	p.wait("the message "+text, message)
	at := eval[[2]float64](p, "e2e.still(() => "+message+")")
	p.run(command(input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: "mouseMoved", X: at[0], Y: at[1]}))
	button := `["button", "menuitem"].map((role) => e2e.find(role, ` + js(name) + `, ` + message + `) ?? e2e.find(role, ` + js(name+"…") + `, ` + message + `)).find(Boolean)`
	if !eval[bool](p, "!!"+button) {
		p.clickAt(`e2e.all("button", ` + message + `).find((b) => /more|actions|menu/i.test(e2e.name(b)))`)
		button = `["menuitem", "button"].map((role) => e2e.find(role, ` + js(name) + `) ?? e2e.find(role, ` + js(name+"…") + `)).find(Boolean)`
		p.wait(name+" in the menu", button)
	}
	p.clickAt(button)
}

// confirm presses a button of the dialog that asks once more.
func (p *person) confirm(name string) {
	p.t.Helper()
	p.wait("the dialog", `e2e.all("dialog").some((d) => e2e.find("button", `+js(name)+`, d))`)
	p.clickAt(`e2e.all("dialog").map((d) => e2e.find("button", ` + js(name) + `, d)).find(Boolean)`)
}

func TestAHostileMessageIsOnlyText(t *testing.T) {
	s := serve(t, "-no-agent")
	writer := newKey(t)
	s.stop()
	for i, text := range hostile {
		s.seed(writer.message(t, 1_700_000_000+int64(i), text))
	}
	s.seed(writer.event(t, 0, 1_700_000_000, `{"name":"<img src=x onerror=window.pwned=1>\u202e\u0000","picture":"javascript:window.pwned=1"}`))
	s.start()
	ana := visit(t, s, "ana", "/rooms/lobby")
	ana.wait("all of them", `e2e.messages().length === `+js(len(hostile)))
	ana.wait("nothing to have run", `window.pwned === undefined`)
	for _, bad := range eval[[]string](ana, `[...document.querySelectorAll("[role=log] [href], [role=log] [src]")].map((e) => e.getAttribute("href") ?? e.getAttribute("src")).filter((u) => /^\s*(javascript|data|vbscript|file):/i.test(u))`) {
		t.Errorf("a message makes %q", bad)
	}
	if n := eval[int](ana, `document.querySelectorAll("[role=log] img, [role=log] script, [role=log] iframe").length`); n > 0 {
		t.Errorf("messages make %d elements that load something", n)
	}
	ana.has("button", "Show picture")
}

var hostile = []string{
	`<script>window.pwned=1</script>`,
	`<img src=x onerror="window.pwned=1">`,
	`[click](javascript:window.pwned=1)`,
	`![picture](https://example.com/a.png)`,
	`[data](data:text/html,<script>window.pwned=1</script>)`,
	"```html\n</code><script>window.pwned=1</script>\n```",
	strings.Repeat("> ", 300) + "deep",
	strings.Repeat("[", 2000),
	"\u202eright to left\u202c \u0000 zero",
}
