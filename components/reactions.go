package components

import (
	"strings"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/room"
)

// choices are the reactions that the picker offers, with their names. Neither
// "+" nor "-" is among them: on a request those would be answers.
var choices = []struct{ emoji, name string }{
	{"👍", "Thumbs up"}, {"❤️", "Heart"}, {"😂", "Laughing"}, {"🎉", "Party"},
	{"😮", "Surprised"}, {"😢", "Sad"}, {"🙏", "Thanks"}, {"👀", "Looking"},
	{"✅", "Done"}, {"❌", "No"}, {"🔥", "Fire"}, {"💡", "Idea"},
	{"🚀", "Rocket"}, {"🤔", "Thinking"}, {"👏", "Applause"}, {"💯", "Hundred"},
}

// maxNamed is how many names a reaction's title lists.
const maxNamed = 10

// reactions are the reactions to a message; a press adds mine or takes it back.
func reactions(m *room.Message, canReact bool) ui.UI {
	chips := make([]ui.UI, 0, len(m.Reactions))
	for _, r := range m.Reactions {
		chips = append(chips, reaction(m.ID, r, canReact))
	}
	return ui.Div().Class("react").Role("group").Aria("label", "Reactions").Body(chips...)
}

func reaction(id string, r room.Reaction, canReact bool) ui.UI {
	who := names(r.People)
	chip := ui.Button().Type("button").Class("chip").Title(who).
		Aria("pressed", r.Mine != "").Aria("label", r.Content+", "+who).
		Disabled(!canReact).
		OnClick(func(ctx ui.Context, _ ui.Event) {
			if r.Mine != "" {
				ctx.NewActionWithValue(DoUnreact, Mark{ID: r.Mine})
				return
			}
			ctx.NewActionWithValue(DoReact, Mark{ID: id, Text: r.Content})
		}, ui.EventScope(id, r.Content, r.Mine))
	return chip.Body(
		ui.Span().Class("chip-face").Text(r.Content),
		ui.Span().Class("chip-count").Text(Number(len(r.People))),
	)
}

func names(people []room.Person) string {
	var list []string
	for i, p := range people {
		if i == maxNamed {
			list = append(list, Plural(len(people)-maxNamed, "other", "others"))
			break
		}
		list = append(list, p.Name)
	}
	return strings.Join(list, ", ")
}
