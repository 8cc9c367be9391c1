package components

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/room"
)

// Finder finds people by the beginning of their names, the likeliest first. It
// keeps its identity as long as a page stands.
type Finder interface {
	Find(query string) []Candidate
}

// MaxFound is how many people are offered at once.
const MaxFound = 8

// maxQuery is how far behind its @ a name is looked for, in UTF-16 units.
const maxQuery = room.MaxName + 1

// mention is the list of people that opens while a name is being typed behind
// an @. It is a listbox that the field controls. The field stays a textbox all
// the while: ARIA in HTML allows a textarea no other role, and a role that comes
// and goes while somebody types is read out each time.
type mention struct {
	list  []Candidate // nobody: it is closed
	at    int         // the one that Enter takes
	from  int         // where the @ stands in the field, in UTF-16 units
	put   int         // the @ behind which the person has closed it, plus one
	known int         // Composer.Known, of the list
	took  bool        // a key was taken whose key press may follow
}

func (m *mention) open() bool { return len(m.list) > 0 }

func (m *mention) close() { m.list, m.at = nil, 0 }

// nameBehind is what is being typed behind an @ before a caret: the words, and
// where the @ stands. Places are in UTF-16 units, as the browser counts them.
func nameBehind(text string, caret int) (query string, at int, ok bool) {
	if !strings.Contains(text, "@") {
		return "", 0, false
	}
	units := utf16.Encode([]rune(text))
	caret = max(0, min(caret, len(units)))
	for i := caret - 1; i >= 0 && caret-i <= maxQuery; i-- {
		if units[i] == '\n' {
			break
		}
		if units[i] != '@' || i > 0 && !opensName(units[i-1]) {
			continue
		}
		query = string(utf16.Decode(units[i+1 : caret]))
		return query, i, !strings.HasPrefix(query, " ")
	}
	return "", 0, false
}

// opensName reports whether a name may begin behind this.
func opensName(before uint16) bool { return before == '(' || unicode.IsSpace(rune(before)) }

// look opens the list when a name is being typed, and closes it when none is.
// It reports whether anything about it has changed.
func (c *Composer) look() (changed bool) {
	m := &c.mention
	field := c.field()
	if c.Who == nil || !field.Truthy() {
		return false
	}
	was := m.open()
	caret := field.Get("selectionStart").Int()
	query, from, ok := nameBehind(field.Get("value").String(), caret)
	if !ok || from+1 == m.put || caret != field.Get("selectionEnd").Int() {
		if !ok {
			m.put = 0
		}
		m.close()
		return was
	}
	m.close()
	m.from, m.put = from, 0
	m.list = c.Who.Find(query)
	if len(m.list) == 1 && strings.EqualFold(m.list[0].Person.Name, query) {
		m.close() // there is nothing to complete
	}
	return was || m.open()
}

// lookAgain brings the open list up to date once others can be found, and
// leaves the one marked that was.
func (c *Composer) lookAgain() {
	m := &c.mention
	if c.Known == m.known {
		return
	}
	m.known = c.Known
	marked := ""
	if m.open() {
		marked = m.list[m.at].Person.PubKey
	}
	if field := c.field(); !field.Truthy() || !field.Call("matches", ":focus").Truthy() {
		return
	}
	c.look()
	for i, who := range m.list {
		if who.Person.PubKey == marked && m.at == 0 {
			m.at = i
		}
	}
}

// onMentionKey handles the keys of the open list. It reports whether it took
// the key.
func (c *Composer) onMentionKey(ctx ui.Context, e ui.Event) bool {
	const composing = 229
	m := &c.mention
	if !m.open() || e.Get("isComposing").Truthy() || e.Get("keyCode").Int() == composing {
		return false
	}
	switch e.Get("key").String() {
	case "ArrowDown":
		m.at = (m.at + 1) % len(m.list)
	case "ArrowUp":
		m.at = (m.at + len(m.list) - 1) % len(m.list)
	case "Enter", "Tab":
		if e.Get("shiftKey").Truthy() {
			return false
		}
		c.name(ctx, m.at)
	case "Escape":
		m.put = m.from + 1
		m.close()
	default:
		return false
	}
	m.took = true
	e.PreventDefault()
	c.showActive(ctx)
	return true
}

// showActive keeps the one that Enter takes in sight.
func (c *Composer) showActive(ctx ui.Context) {
	ctx.Defer(func(ui.Context) {
		if option := find(c.JSValue(), "[role=option][aria-selected=true]"); option.Truthy() {
			option.Call("scrollIntoView", map[string]any{"block": "nearest"})
		}
	})
}

// name puts somebody's name in place of what was typed behind the @.
func (c *Composer) name(ctx ui.Context, n int) {
	m := &c.mention
	field := c.field()
	if n >= len(m.list) || !field.Truthy() {
		return
	}
	who := m.list[n].Person
	field.Call("setRangeText", "@"+who.Name+" ", m.from, field.Get("selectionStart").Int(), "end")
	field.Call("focus")
	m.close()
	c.grow()
	ctx.NewActionWithValue(DoMention, who)
	ctx.NewActionWithValue(DoType, Words{Key: c.Key, Text: field.Get("value").String()})
}

// mentions is the open list, in a place that is always there.
func (c *Composer) mentions() ui.UI {
	m := &c.mention
	place, said := ui.Div().Class("mention-place"), ui.Div().Class("sr").Role("status")
	if !m.open() {
		return place.Body(said)
	}
	options := make([]ui.UI, 0, len(m.list))
	for i, who := range m.list {
		options = append(options, c.option(i, who))
	}
	return place.Body(said.Text(Plural(len(m.list), "name fits", "names fit")),
		ui.Div().ID("mentions").Class("mentions").Role("listbox").Aria("label", "People and agents").Body(options...))
}

func (c *Composer) option(i int, who Candidate) ui.UI {
	words := []ui.UI{ui.Bdi().Class("name").Text(who.Person.Name)}
	if who.Person.Agent != "" {
		words = append(words, ui.Span().Class("tag").Dir("auto").Text(who.Person.Agent))
	}
	if code := room.ShortNPub(who.Person.PubKey); code != who.Person.Name {
		words = append(words, ui.Code().Class("npub").Dir("ltr").Text(code))
	}
	return ui.Div().ID("mention-"+strconv.Itoa(i)).Class("mention").Role("option").
		Aria("selected", strconv.FormatBool(i == c.mention.at)).
		OnMouseDown(keepFocus).
		OnClick(func(ctx ui.Context, _ ui.Event) { c.name(ctx, i) }, ui.EventScope(i, who.Person.PubKey)).
		Body(append([]ui.UI{Face(who.Person, "sm")}, words...)...)
}

// keepFocus leaves the focus, and with it a phone's keyboard, in the field.
func keepFocus(ctx ui.Context, e ui.Event) {
	ctx.PreventUpdate()
	e.PreventDefault()
}

// controls marks the field as what controls the open list.
func (c *Composer) controls(field ui.HTMLTextarea) ui.HTMLTextarea {
	if !c.mention.open() {
		return field
	}
	return field.Aria("autocomplete", "list").Aria("haspopup", "listbox").
		Aria("controls", "mentions").Aria("activedescendant", "mention-"+strconv.Itoa(c.mention.at))
}
