package components

import (
	"strconv"

	ui "github.com/maxence-charriere/go-app/v10/pkg/app"

	"parley/wasm/room"
)

// Markdown shows a text that somebody wrote. It builds nodes, never HTML, so
// nothing in the text can become markup.
type Markdown struct {
	ui.Compo

	Text  string
	Links []room.Link // what to write in place of nostr: references
}

// Render implements ui.Composer.
func (m *Markdown) Render() ui.UI {
	return ui.Div().Class("md").Body(mdBlocks(parseMarkdown(m.Text, m.Links))...)
}

func mdBlocks(nodes []mdNode) []ui.UI {
	list := make([]ui.UI, 0, len(nodes))
	for _, n := range nodes {
		list = append(list, mdBlock(n))
	}
	return list
}

// mdBlock draws a block. Each has its own direction, since a person may write
// in two scripts in one message.
func mdBlock(n mdNode) ui.UI {
	switch n.Kind {
	case mdParagraph:
		return ui.P().Dir("auto").Body(mdInlines(n.Kids)...)
	case mdHeading:
		// Two levels down: the page's own headings stand above a message's.
		level := strconv.Itoa(min(n.Level+2, 6))
		return ui.Div().Class("md-h", "md-h"+strconv.Itoa(n.Level)).
			Role("heading").Aria("level", level).Dir("auto").Body(mdInlines(n.Kids)...)
	case mdQuote:
		return ui.Blockquote().Dir("auto").Body(mdBlocks(n.Kids)...)
	case mdList:
		return mdListOf(n)
	case mdCode:
		return mdCodeOf(n)
	case mdRule:
		return ui.Hr()
	case mdTable:
		return mdTableOf(n)
	case mdPlain:
		return ui.P().Class("md-plain").Dir("auto").Text(n.Text)
	}
	return ui.P().Dir("auto").Body(mdInline(n))
}

func mdListOf(n mdNode) ui.UI {
	items := make([]ui.UI, 0, len(n.Kids))
	for _, item := range n.Kids {
		items = append(items, ui.Li().Dir("auto").Body(mdItemBody(item.Kids)...))
	}
	if n.Level < 0 {
		return ui.Ul().Body(items...)
	}
	return ui.Ol().Start(n.Level).Body(items...)
}

// mdItemBody draws an item of one paragraph without the paragraph, so that
// tight lists stay tight.
func mdItemBody(kids []mdNode) []ui.UI {
	if len(kids) > 0 && kids[0].Kind == mdParagraph {
		return append(mdInlines(kids[0].Kids), mdBlocks(kids[1:])...)
	}
	return mdBlocks(kids)
}

func mdCodeOf(n mdNode) ui.UI {
	if n.Open {
		return ui.Pre().Class("code-open").Dir("ltr").Body(ui.Code().Text(n.Text))
	}
	return &Code{Lang: n.Lang, Text: n.Text}
}

func mdTableOf(n mdNode) ui.UI {
	var head, body []ui.UI
	for _, row := range n.Kids {
		cells := make([]ui.UI, 0, len(row.Kids))
		for _, cell := range row.Kids {
			align := ""
			if cell.Align != "" {
				align = "md-" + cell.Align
			}
			if row.Head {
				cells = append(cells, ui.Th().Scope("col").Class(align).Dir("auto").Body(mdInlines(cell.Kids)...))
			} else {
				cells = append(cells, ui.Td().Class(align).Dir("auto").Body(mdInlines(cell.Kids)...))
			}
		}
		if row.Head {
			head = append(head, ui.Tr().Body(cells...))
		} else {
			body = append(body, ui.Tr().Body(cells...))
		}
	}
	// A table that is too wide scrolls by itself, also by keyboard.
	return ui.Div().Class("md-table").TabIndex(0).Role("region").Aria("label", "Table").Body(
		ui.Table().Body(ui.THead().Body(head...), ui.TBody().Body(body...)),
	)
}

func mdInlines(nodes []mdNode) []ui.UI {
	list := make([]ui.UI, 0, len(nodes))
	for _, n := range nodes {
		list = append(list, mdInline(n))
	}
	return list
}

func mdInline(n mdNode) ui.UI {
	switch n.Kind {
	case mdText:
		return ui.Text(n.Text)
	case mdBreak:
		return ui.Br()
	case mdEm:
		return ui.Em().Body(mdInlines(n.Kids)...)
	case mdStrong:
		return ui.Strong().Body(mdInlines(n.Kids)...)
	case mdDel:
		return ui.Del().Body(mdInlines(n.Kids)...)
	case mdSpan:
		return ui.Code().Dir("ltr").Text(n.Text)
	case mdLink:
		return link(n.Href).Body(mdInlines(n.Kids)...)
	case mdPicture:
		return &Picture{Source: n.Href, Alt: n.Text}
	case mdCheck:
		if n.Checked {
			return ui.Span().Class("md-check").Role("img").Aria("label", "done").Text("☑ ")
		}
		return ui.Span().Class("md-check").Role("img").Aria("label", "not done").Text("☐ ")
	}
	return mdBlock(n)
}
