package e2e

import (
	"testing"

	"github.com/nbd-wtf/go-nostr"

	"parley/wasm/room"
)

// options are the names in the list that an @ opens, from top to bottom.
const options = `JSON.stringify(e2e.all("option").map((o) => o.querySelector(".name").innerText))`

// written is what stands in the composer.
const written = `document.querySelector("textarea[aria-label=Message]").value`

func TestAnAtOffersPeopleAndNamesWhoIsChosen(t *testing.T) {
	s := serve(t, "-no-agent")
	me, ben, bea := newKey(t), newKey(t), newKey(t)
	post(t, s, ben.profile(t, "Ben"), bea.profile(t, "Bea Long"), me.profile(t, "Ana"),
		ben.message(t, now()-60, "Ben was here"), bea.message(t, now()-50, "Bea was here"))
	ana := visit(t, s, "ana", "/").signIn(me).enter("lobby")
	ana.sees("Bea was here")
	ana.fill("Message", "hello @b")
	ana.wait("both", options+` === '["Bea Long","Ben"]'`)
	active := `document.getElementById(document.activeElement.getAttribute("aria-activedescendant"))`
	ana.wait("the first to be active", active+`?.innerText.includes("Bea") && document.activeElement === e2e.find("textbox", "Message") && !document.activeElement.hasAttribute("role")`)
	ana.key("ArrowDown")
	ana.wait("the second to be active", active+`?.innerText.includes("Ben")`)
	ana.key("ArrowDown")
	ana.key("ArrowUp")
	ana.key("Enter")
	ana.wait("the name", written+` === "hello @Ben "`)
	ana.wait("the list to be closed, and nothing of it left", `!e2e.all("option").length && !document.activeElement.hasAttribute("aria-activedescendant")`)

	// Escape closes the list and takes nothing; a pointer chooses, too.
	ana.insert("and @be")
	ana.wait("the list", `e2e.all("option").length === 2`)
	ana.key("Escape")
	ana.wait("no list", `!e2e.all("option").length && `+written+`.endsWith("@be")`)
	ana.insert("a")
	ana.wait("no list for the same @", `!e2e.all("option").length`)
	ana.insert(" @bea")
	ana.wait("the list", options+` === '["Bea Long"]'`)
	ana.clickAt(`e2e.all("option")[0]`)
	ana.wait("the name", written+` === "hello @Ben and @bea @Bea Long "`)

	// An input method that composes keeps its keys.
	ana.insert("@b")
	ana.wait("the list", `e2e.all("option").length === 2`)
	eval[bool](ana, `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true, cancelable: true })) || true`)
	ana.wait("nothing to be taken", `e2e.all("option").length === 2 && `+written+`.endsWith("@b")`)
	ana.key("Tab")
	ana.wait("the first", written+`.endsWith("@Bea Long @Bea Long ")`)
	ana.key("Enter")
	ana.reads("Ben was here", "Bea was here", "hello @Ben and @bea @Bea Long @Bea Long")
	ana.stands("hello", "stored")
	sent := stored(t, s, nostr.Filter{Authors: []string{me.public}, Kinds: []int{9}})[0]
	want := "hello nostr:" + room.NPub(ben.public) + " and @bea nostr:" + room.NPub(bea.public) + " nostr:" + room.NPub(bea.public)
	if sent.Content != want && sent.Content != want+" " {
		t.Errorf("sent is %q, want %q", sent.Content, want)
	}
	for _, key := range []string{ben.public, bea.public} {
		if sent.Tags.FindWithValue("p", key) == nil {
			t.Errorf("%s is named and has no p tag", key)
		}
	}

	// Who edits sees names, and leaves them who they are.
	ana.inMessage("hello", "Edit")
	ana.wait("names to edit", written+`.trim() === "hello @Ben and @bea @Bea Long @Bea Long"`)
	ana.fill("Message", "goodbye @Ben")
	ana.key("Enter")
	ana.reads("Ben was here", "Bea was here", "goodbye @Ben")
	ana.wait("names in the list of rooms", `document.querySelector(".rail .item .last").innerText === "You: goodbye @Ben"`)
	ana.wait("the edit to be stored", `e2e.messages()[2]?.innerText.includes("edited")`)
	edits := func() []*nostr.Event {
		return stored(t, s, nostr.Filter{Authors: []string{me.public}, Kinds: []int{40003}})
	}
	ana.wait("a link to Ben", `e2e.messages().at(-1).querySelector("a[href*=npub]")?.innerText === "@Ben"`)
	if list := edits(); len(list) > 0 && list[0].Content != "goodbye nostr:"+room.NPub(ben.public) {
		t.Errorf("the edit is %q", list[0].Content)
	}
}

func TestAnAtOnAPhoneTakesEnterAndAFinger(t *testing.T) {
	s := serve(t, "-no-agent")
	ben := newKey(t)
	post(t, s, ben.profile(t, "Ben"), ben.message(t, now()-60, "Ben was here"))
	ana := visit(t, s, "ana", "/", onPhone).signUp().enter("lobby")
	ana.sees("Ben was here")
	ana.fill("Message", "@b")
	ana.wait("the list", `e2e.all("option").length === 1`)
	ana.fits(t, "the list of people")
	if height := eval[float64](ana, `e2e.all("option")[0].getBoundingClientRect().height`); height < 44 {
		t.Errorf("a name is %v px high, too low for a finger", height)
	}
	ana.clickAt(`e2e.all("option")[0]`)
	ana.wait("the name, and the focus in the field", written+` === "@Ben " && document.activeElement.matches("textarea")`)
}
