package run

import (
	"cmp"
	"slices"
	"strings"
)

// Limits on tools in one run, against an agent that never stops.
const (
	MaxToolEvents = 2000 // tool events that are paired, the earliest
	MaxToolRows   = 500  // rows in a view, the newest
)

// callEvent is one tool event.
type callEvent struct {
	at, seen int64
	id       string
	tool     *Tool
}

// compareCalls is (created_at, id), but within a second every start comes before
// every result: the clock of the protocol is too coarse to tell.
func compareCalls(a, b *callEvent) int {
	return cmp.Or(cmp.Compare(a.at, b.at),
		cmp.Compare(phaseRank(a.tool), phaseRank(b.tool)), strings.Compare(a.id, b.id))
}

func phaseRank(t *Tool) int {
	if t.Phase == PhaseStart {
		return 0
	}
	return 1
}

// calls pairs tool events into rows, one a call: by call id where there is one,
// else by name and order.
type calls struct {
	events  []*callEvent // in order, at most MaxToolEvents
	over    int          // events past the limit
	applied int          // how many of events are in rows
	rows    []*callRow
	byID    map[string]*callRow
	open    map[string][]*callRow // starts without a result, by name
	cut     *moment               // events after it came too late: the run had ended

	views []ToolView // of rows, nil when they changed
	info  *Info      // the info views were made with
}

// callRow is a row in the making.
type callRow struct {
	view   ToolView
	closed bool
}

func (c *calls) add(e *callEvent) {
	i, _ := slices.BinarySearchFunc(c.events, e, compareCalls)
	if i == MaxToolEvents {
		c.over++
		return
	}
	if len(c.events) == MaxToolEvents {
		c.events = c.events[:MaxToolEvents-1]
		c.over++
	}
	c.events = slices.Insert(c.events, i, e)
	c.views = nil
	if i < c.applied {
		c.restart()
	}
}

// setCut moves the moment after which events are too late.
func (c *calls) setCut(cut moment) {
	c.cut = &cut
	c.restart()
}

// restart pairs everything anew.
func (c *calls) restart() {
	c.applied, c.rows, c.byID, c.open, c.views = 0, nil, nil, nil, nil
}

// settle brings the rows up to date.
func (c *calls) settle() {
	if c.byID == nil {
		c.byID, c.open = map[string]*callRow{}, map[string][]*callRow{}
	}
	for ; c.applied < len(c.events); c.applied++ {
		e := c.events[c.applied]
		if when := (moment{e.seen, e.at}); c.cut != nil && when.after(*c.cut) {
			continue
		}
		c.row(e).take(e)
	}
}

// row finds the row an event belongs to, or begins one.
func (c *calls) row(e *callEvent) *callRow {
	t := e.tool
	if t.CallID != "" {
		if r := c.byID[t.CallID]; r != nil {
			return r
		}
	}
	if t.Phase == PhaseResult && !t.Note {
		if r := c.waiting(t); r != nil {
			return r
		}
	}
	r := &callRow{view: ToolView{Key: e.id, CallID: t.CallID, Name: t.Name, Phase: t.Phase}}
	c.rows = append(c.rows, r)
	if t.CallID != "" {
		c.byID[t.CallID] = r
	}
	if t.Phase == PhaseStart && !t.Note {
		c.open[t.Name] = append(c.open[t.Name], r)
	}
	return r
}

// waiting takes the oldest start of this name that has no result; a result with
// a call id only takes one that has none.
func (c *calls) waiting(t *Tool) *callRow {
	open := c.open[t.Name]
	for len(open) > 0 && open[0].closed {
		open = open[1:]
	}
	c.open[t.Name] = open
	for _, r := range open {
		if !r.closed && (t.CallID == "" || r.view.CallID == "") {
			if t.CallID != "" {
				r.view.CallID = t.CallID
				c.byID[t.CallID] = r
			}
			return r
		}
	}
	return nil
}

// take adds what an event says to its row. Of several starts the first says
// what was asked, of several results the last what came out.
func (r *callRow) take(e *callEvent) {
	t, v := e.tool, &r.view
	if v.Arguments == "" {
		v.Arguments = t.Arguments
	}
	if t.Text != "" {
		v.Text = t.Text
	}
	if t.Phase == PhaseStart {
		if v.Started == 0 {
			v.Started = e.at
		}
		return
	}
	r.closed = true
	v.Phase, v.Ended = PhaseResult, e.at
	if t.Output != "" {
		v.Output, v.OutputText = t.Output, outputText(t.Output)
	}
	if t.Success != nil {
		v.Success = t.Success
	}
	if t.DurationMS != nil {
		v.DurationMS = t.DurationMS
	}
}

// outputText is the words in an output: its text, or stdout and stderr.
func outputText(output string) string {
	o := &object{fields: decodeFields(output)}
	if text := o.words("text"); text != "" {
		return text
	}
	out, errs := o.words("stdout"), o.words("stderr")
	if out != "" && errs != "" && !strings.HasSuffix(out, "\n") {
		out += "\n"
	}
	return out + errs
}

// view gives the newest rows and how many events and rows are not among them.
func (c *calls) view(info *Info) ([]ToolView, int) {
	if len(c.events) == 0 {
		return nil, 0
	}
	c.settle()
	hidden := max(0, len(c.rows)-MaxToolRows)
	if c.views != nil && c.info == info {
		return c.views, hidden + c.over
	}
	names := map[string]bool{}
	if info != nil {
		for _, name := range info.ToolNames {
			names[name] = true
		}
	}
	views := make([]ToolView, 0, len(c.rows)-hidden)
	for _, r := range c.rows[hidden:] {
		v := r.view
		v.Advertised = names[v.Name]
		if info != nil {
			v.RequiresApproval = info.ToolSchemas[v.Name].RequiresApproval
		}
		views = append(views, v)
	}
	c.views, c.info = views, info
	return views, hidden + c.over
}
