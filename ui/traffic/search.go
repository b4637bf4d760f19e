package traffic

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/workspace"
)

type search struct {
	Text   string
	filter *filter.Filter
	missed bool   // nothing matched at first
	Count  *count // counts its matches; nil if the detail pane is searched
}

// Start searches from the cursor of a list: first downwards, then upwards.
func (r *Lists) Start(id ListID) tea.Cmd {
	cmd := r.FindNext(id, 1)
	r.Finding.turn, r.Finding.first = true, true
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
		list: id, by: by, first: r.Search.missed, What: `"` + r.Search.Text + `"`,
		matcher: newRowMatcher(r.ws.Shown.Source, id, r.listing(id), r.Search.filter),
	}))
}

func (r *Lists) listing(id ListID) listing {
	if id == TrafficList {
		return r.Traffic.listing()
	}
	return listing{}
}

// FindError selects the next call that failed or has no answer, unless the user sent its
// bytes, perhaps broken ones. For a failed request that is the response.
func (r *Lists) FindError(by int) tea.Cmd {
	requests := workspace.Rows{Source: r.ws.Shown.Source}
	s := newRowMatcher(requests.Source, TrafficList, r.Traffic.listing(), nil)
	s.also = func(number int, row *session.Row) bool {
		lost := row.Msg == framing.Request && (row.State == session.ReqLost || row.State == session.ReqTimedOut)
		if at, paired := row.Partner(); paired && row.Msg != framing.Request && row.Flags&session.FlagError != 0 {
			number, lost = at, row.State != session.ReqDuplicate
		}
		request, ok := requests.At(number)
		return ok && lost && request.Kind == session.KindStdin && row.Flags&session.FlagProbe == 0 && !requests.Raw(number)
	}
	return r.find(&Find{list: TrafficList, by: by, wrap: true, What: "failed call", only: "no other failed call", matcher: s})
}

// find starts a find from the cursor of a list. It cancels the previous one.
func (r *Lists) find(f *Find) tea.Cmd {
	f.lists, f.source = r, r.ws.Shown.Source
	f.from, _ = r.list(f.list).Cursor()
	if f.list == TrafficList {
		f.from = r.Traffic.at()
	}
	f.at, f.Shown = f.from+f.by, f.from
	if f.ranking != nil {
		f.at = 0
	}
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
	r, x := f.lists, f.lists.ws.Shown.Index.Exchanges
	if f != r.Finding {
		return nil
	}
	if f.ranking != nil {
		msg.row, f.only = f.ranking.next(x, f.from)
		f.found, f.round = f.only, msg.row < 0
	} else if msg.row >= 0 && msg.row != f.from && f.list == TrafficList && r.Traffic.view == Exchanges && x.Of(msg.row) == x.Of(f.from) {
		f.at = msg.row + f.by // of the same exchange, which is selected already
		return f.step()
	}
	if msg.row < 0 {
		return r.notFound(c, f)
	}
	if f.ranking != nil {
		r.ranked = &msg.row
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
		c.Host.Notify("continued at the " + map[bool]string{true: "top", false: "bottom"}[f.by > 0])
	case f.found != "":
		c.Host.Notify(f.found)
	}
	return nil
}

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
	case f.first && r.Search != nil:
		r.Search.missed = true
		c.Host.Notify("no match for " + f.What + " in " + r.nameOf(f.list) + ": searched " + wording.Counted(f.source.Len(), "entry"))
	case f.round:
		c.Host.Notify("no " + f.What)
	default:
		c.Host.Notify("no more matches")
	}
	return nil
}

// nameOf names a list in a sentence.
func (r *Lists) nameOf(id ListID) string {
	switch id {
	case TrafficList:
		return r.Traffic.view.String()
	case StderrList:
		return "stderr"
	case EventsList:
		return "events"
	}
	return "the log"
}

// A Find looks for one row, up or down from a row, in steps.
type Find struct {
	source  session.Source
	lists   *Lists
	list    ListID // the list that has the row
	What    string // for the message when nothing was found
	found   string // the message when a row was found; usually none
	only    string // the message when only the row at the cursor matches
	from    int    // where the cursor was
	at      int    // the next row to check
	Shown   int    // the same, as shown on the screen
	by      int    // 1 or -1
	first   bool   // no match was found before
	turn    bool   // search in the other direction if this one has no match
	wrap    bool   // continue at the other end if there is no match in this direction
	round   bool   // it is doing that now, up to the cursor
	matcher *rowMatcher
	ranking *ranking // of all rows that match, of which one is found; nil for the nearest match
	rows    []session.Row
	many    int // number of rows to check next
}

// nearRows is how many rows the first step checks, as the match is often near.
// Later steps check more and more.
const nearRows = 64

// Row is -1 if there is no match.
type foundRow struct {
	find *Find
	row  int
}

type finding struct{ find *Find }

func (f *Find) step() tea.Cmd {
	return func() tea.Msg {
		budget := budget{rows: stepRows, bytes: stepBytes}
		for budget.left() {
			rows := f.next()
			if len(rows) == 0 || f.round && (f.at-f.from)*f.by > 0 {
				return foundRow{f, -1}
			}
			f.matcher.setRows(min(f.at, f.at+(len(rows)-1)*f.by), rows)
			for i := range rows {
				at := i
				if f.by < 0 {
					at = len(rows) - 1 - i
				}
				switch passes := f.matcher.passes(at, &budget); {
				case passes && f.ranking != nil:
					f.ranking.add()
				case passes:
					return foundRow{f, f.at + i*f.by}
				}
				budget.rows--
				budget.bytes -= int(rows[at].Len) / searchShare
			}
			f.at += len(rows) * f.by
		}
		return finding{f}
	}
}

func (f *Find) otherEnd() {
	f.wrap, f.round, f.many = false, true, 0
	if f.at = 0; f.by < 0 {
		f.at = f.source.Len() - 1
	}
}

// next reads the next rows, in ascending order.
func (f *Find) next() []session.Row {
	if f.at < 0 {
		return nil
	}
	f.many = min(max(2*f.many, nearRows), blockRows)
	f.rows = slices.Grow(f.rows[:0], f.many)[:f.many]
	if f.by > 0 {
		return block(f.rows[:f.source.Rows(f.at, f.rows)], false)
	}
	from := max(f.at-len(f.rows)+1, 0)
	return block(f.rows[:f.source.Rows(from, f.rows[:f.at-from+1])], true)
}

// A rowMatcher selects the rows of a list that its listing shows and that match the
// search. It must be used by one goroutine at a time.
type rowMatcher struct {
	list    ListID
	listing listing
	shown   *filter.Matcher
	wanted  *filter.Matcher                         // the search; nil matches everything
	also    func(number int, row *session.Row) bool // an additional condition; nil for none

	from              int // number of the first of the rows
	rows              []session.Row
	isShown, isWanted []filter.Verdict
}

func newRowMatcher(source session.Source, list ListID, l listing, wanted *filter.Filter) *rowMatcher {
	s := &rowMatcher{list: list, listing: l, shown: l.filter.Matcher(source)}
	if wanted != nil {
		s.wanted = wanted.Matcher(source)
	}
	return s
}

// setRows sets the rows to check, of which from is the number of the first, and checks all of
// them at once as far as possible without reading messages.
func (s *rowMatcher) setRows(from int, rows []session.Row) {
	s.from, s.rows = from, rows
	s.isShown = verdictsOf(s.shown, s.isShown, from, rows)
	if s.wanted != nil {
		s.isWanted = verdictsOf(s.wanted, s.isWanted, from, rows)
	}
}

func verdictsOf(m *filter.Matcher, into []filter.Verdict, from int, rows []session.Row) []filter.Verdict {
	into = slices.Grow(into[:0], len(rows))[:len(rows)]
	m.Rows(from, rows, into)
	return into
}

// passes reports whether row i of these rows passes. It reads the message if
// necessary.
func (s *rowMatcher) passes(i int, b *budget) bool {
	number, row := s.from+i, &s.rows[i]
	if s.isShown[i] == filter.No || s.wanted != nil && s.isWanted[i] == filter.No || !belongs(*row, s.list, s.listing) {
		return false
	}
	if s.also != nil && !s.also(number, row) {
		return false
	}
	return s.reads(s.shown, s.isShown[i], i, b) && (s.wanted == nil || s.reads(s.wanted, s.isWanted[i], i, b))
}

// reads reads the message of row i, unless the row is known to pass.
func (s *rowMatcher) reads(m *filter.Matcher, v filter.Verdict, i int, b *budget) bool {
	if v == filter.Yes {
		return true
	}
	b.bytes -= int(s.rows[i].Len)
	return m.Read(s.from+i, s.rows[i])
}

func belongs(row session.Row, list ListID, l listing) bool {
	switch list {
	case StderrList:
		return row.Kind == session.KindStderr && row.Flags&session.FlagLineEnd == 0
	case EventsList:
		return !row.Kind.IsStream()
	case LogList:
		return belongs(row, StderrList, l) || belongs(row, EventsList, l)
	}
	return l.lists(row.Kind) && !l.hides(&row)
}
