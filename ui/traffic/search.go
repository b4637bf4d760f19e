package traffic

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/filter"
)

type search struct {
	Text   string
	filter *filter.Filter
	Count  *count // counts its matches; nil if the detail pane is searched
}

// Start searches from the cursor of a list: first downwards, then upwards.
func (r *Lists) Start(id ListID) tea.Cmd {
	cmd := r.FindNext(id, 1)
	r.Finding.turn = true
	return tea.Batch(cmd, r.countAnew(id))
}

// SetSearch changes the text that n and N search for; "" ends the search.
func (r *Lists) SetSearch(text string) error {
	r.Finding, r.changed = nil, true
	if text == "" {
		r.Search = nil
		r.hits.Set("")
		return nil
	}
	f, err := filter.Text(text)
	if err != nil {
		return err
	}
	r.Search = &search{Text: text, filter: f}
	r.hits.Set(text)
	return nil
}

// FindNext selects the next match below (1) or above (-1) the cursor of a list.
func (r *Lists) FindNext(id ListID, by int) tea.Cmd {
	again := r.countIn(id)
	return tea.Batch(again, r.find(&Find{
		list: id, by: by, What: `"` + r.Search.Text + `"`,
		matcher: newRowMatcher(r.ws.Shown.Source, id, r.listing(id), r.Search.filter),
	}))
}

func (r *Lists) listing(id ListID) listing {
	if id == TrafficList {
		return r.Traffic.listing()
	}
	return listing{}
}

// FindError selects the next row of the traffic with a problem. For a failed
// request that is the response.
func (r *Lists) FindError(by int) tea.Cmd {
	s := newRowMatcher(r.ws.Shown.Source, TrafficList, r.Traffic.listing(), nil)
	s.also = func(_ int, row *session.Row) bool {
		failed := row.State == session.ReqFailed || row.State == session.ReqAnswered
		return filter.IsProblem(*row) && !failed
	}
	return r.find(&Find{list: TrafficList, by: by, wrap: true, What: "error", only: "no other error", matcher: s})
}

// find starts a find from the cursor of a list. It cancels the previous one.
func (r *Lists) find(f *Find) tea.Cmd {
	f.lists, f.source = r, r.ws.Shown.Source
	f.from, _ = r.list(f.list).Cursor()
	if f.list == TrafficList {
		f.from = r.Traffic.at()
	}
	f.at, f.Shown = f.from+f.by, f.from
	r.Finding = f
	return f.step()
}

func (msg finding) Deliver(c host.Context) tea.Cmd {
	if msg.find != msg.find.lists.Finding {
		return nil
	}
	msg.find.Shown = msg.find.at
	c.Host.Redraw()
	return msg.find.step()
}

func (msg foundRow) Deliver(c host.Context) tea.Cmd {
	f := msg.find
	r := f.lists
	if f != r.Finding {
		return nil
	}
	if msg.row >= 0 && msg.row != f.from && f.list == TrafficList && r.Traffic.joined(msg.row, f.from) {
		f.at = msg.row + f.by // of the same exchange, which is selected already
		return f.step()
	}
	if msg.row < 0 {
		return r.notFound(c, f)
	}
	r.Finding = nil
	if f.list == TrafficList {
		c.Panes().Select(msg.row)
	} else {
		r.ws.Overview = false
		r.list(f.list).Select(msg.row)
	}
	r.changed = true
	c.Host.Redraw()
	switch atCursor := msg.row == f.from; {
	case atCursor && f.only != "":
		c.Host.Notify(f.only)
	case atCursor:
		c.Host.Notify("this row matches; no more below")
	case f.round:
		text := "wrapped to the " + map[bool]string{true: "top", false: "bottom"}[f.by > 0]
		if f.found != "" {
			text += "; " + f.found
		}
		c.Host.Notify(text)
	case f.found != "":
		c.Host.Notify(f.found)
	}
	return nil
}

// notFound searches the remaining rows, if the find should turn or wrap around.
func (r *Lists) notFound(c host.Context, f *Find) tea.Cmd {
	switch {
	case f.turn:
		f.at, f.by, f.turn = f.from, -1, false
		return f.step()
	case f.wrap:
		f.otherEnd()
		return f.step()
	}
	r.Finding = nil
	switch {
	case f.round:
		c.Host.Notify("no " + f.What)
	case f.by > 0:
		c.Host.Notify("no " + f.What + " below")
	default:
		c.Host.Notify("no " + f.What + " above")
	}
	return nil
}
