package traffic

import (
	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/workspace"
)

// The limits of one step of a scan, a few milliseconds of work, so that the scan
// can be cancelled and shows rows as it finds them.
const (
	stepRows  = 1 << 16
	stepBytes = 4 << 20

	// blockRows and blockBytes are how much of a log is passed to a filter at a
	// time. The filter searches the text of a block without decoding each
	// message, so a byte costs an eighth of a decoded one.
	blockRows   = 4096
	blockBytes  = 16 << 20
	searchShare = 8
)

func block(rows []session.Row, last bool) []session.Row {
	bytes := 0
	for i := range rows {
		at := i
		if last {
			at = len(rows) - 1 - i
		}
		if bytes += int(rows[at].Len); bytes > blockBytes && i > 0 {
			if last {
				return rows[at+1:]
			}
			return rows[:at]
		}
	}
	return rows
}

// A scan finds the rows of a log that a listing shows, in steps: first new rows,
// then older rows, from the end backwards. It is passed from step to step and
// never used concurrently.
type scan struct {
	traffic    *Pane // that it is for
	generation int
	source     session.Source
	listing    listing
	matcher    *filter.Matcher
	listed     [256]bool // by entry kind: whether the listing considers it

	total int // number of rows at the start
	older int // of these, rows [0, older) are not checked yet
	newer int // rows from newer on are not checked yet

	// open are requests without a response when they were checked; their outcome may
	// change whether they pass.
	open     []int
	rounds   exchange.Links   // of the exchanges when the step began
	rows     []session.Row    // buffer for blockRows
	verdicts []filter.Verdict // of the rows from row number from on
	from, n  int
	one      workspace.Rows
	parts    *session.LineParts
}

func newScan(generation int, source session.Source, l listing, rows int) *scan {
	s := &scan{
		generation: generation, source: source, listing: l, matcher: l.filter.Matcher(source),
		total: rows, older: rows, newer: rows, one: workspace.Rows{Source: source}, parts: session.NewLineParts(source),
		rows: make([]session.Row, blockRows), verdicts: make([]filter.Verdict, blockRows),
	}
	for kind := range s.listed {
		s.listed[kind] = l.lists(session.Kind(kind))
	}
	return s
}

type scanned struct {
	scan    *scan
	front   []foundItem // older rows that pass, last row first
	back    []foundItem // newer rows that pass
	changed []verdict
}

func (found scanned) Deliver(c host.Context) tea.Cmd {
	t := found.scan.traffic
	t.changed = true
	c.Host.Redraw()
	return t.found(found, t.ws.Shown.Index.Scanned)
}

// A foundItem is a row that passes and the key by which it folds.
type foundItem struct{ row, kind uint32 }

type verdict struct {
	row    uint32
	passes bool
}

func (s *scan) done(rows int) bool { return s.older == 0 && s.newer >= rows }

// percent returns how much of the rows that existed at the start has been
// checked.
func (s *scan) percent() int {
	if s.total == 0 {
		return 100
	}
	return int(int64(s.total-s.older) * 100 / int64(s.total))
}

func (s *scan) step(rows int) tea.Cmd {
	return func() tea.Msg {
		found := scanned{scan: s}
		if s.newer < rows {
			s.forward(&found, rows)
		} else {
			s.backward(&found)
		}
		return found
	}
}

func (s *scan) forward(found *scanned, rows int) {
	budget := budget{rows: stepRows, bytes: stepBytes}
	for s.newer < rows && budget.left() {
		some := s.rows[:min(len(s.rows), rows-s.newer)]
		some = block(some[:s.source.Rows(s.newer, some)], false)
		if len(some) == 0 {
			return
		}
		s.look(s.newer, some, &budget)
		for i := range some {
			if s.passes(s.newer, &some[i], s.verdicts[i], &budget) {
				found.back = append(found.back, foundItem{uint32(s.newer), workspace.FloodKind(&some[i])})
			}
			s.settle(found, some[i], s.verdicts[i], &budget)
			if s.newer++; budget.bytes <= 0 {
				return
			}
		}
	}
}

func (s *scan) backward(found *scanned) {
	budget := budget{rows: stepRows, bytes: stepBytes}
	for s.older > 0 && budget.left() {
		from := max(s.older-len(s.rows), 0)
		some := s.rows[:s.older-from]
		if s.source.Rows(from, some) < len(some) {
			s.older = 0 // cannot be read
			return
		}
		some = block(some, true)
		s.look(s.older-len(some), some, &budget)
		for i := len(some) - 1; i >= 0 && budget.bytes > 0; i-- {
			s.older--
			if s.passes(s.older, &some[i], s.verdicts[i], &budget) {
				found.front = append(found.front, foundItem{uint32(s.older), workspace.FloodKind(&some[i])})
			}
		}
	}
}

// look applies the filter to rows; from is the number of the first one.
func (s *scan) look(from int, rows []session.Row, b *budget) {
	b.rows -= len(rows)
	s.from, s.n = from, len(rows)
	s.matcher.Rows(from, rows, s.verdicts)
	if s.matcher.Searches() {
		for i := range rows {
			b.bytes -= int(rows[i].Len) / searchShare
		}
	}
}

func (s *scan) passes(number int, row *session.Row, v filter.Verdict, b *budget) bool {
	if row.State == session.ReqPending {
		s.open = append(s.open, number)
	}
	if !s.lists(number, row) {
		return false
	}
	return v != filter.No && (v == filter.Yes || s.read(number, row, b)) || s.answerPasses(number, row, b) || s.roundPasses(number, row, b) || s.partPasses(number, row, b)
}

// A filter finds an exchange by each of its rounds.
func (s *scan) roundPasses(number int, row *session.Row, b *budget) bool {
	if s.listing.view != Exchanges || row.Msg != framing.Request {
		return false
	}
	for later := range s.rounds.Later(&s.one, number) {
		request, ok := s.one.At(later)
		b.bytes -= int(request.Len)
		if ok && (s.matcher.Match(later, request) || s.answerPasses(later, &request, b)) {
			return true
		}
	}
	return false
}

// A filter finds a line in parts by each of them.
func (s *scan) partPasses(number int, row *session.Row, b *budget) bool {
	if s.listing.view != Exchanges {
		return false
	}
	for _, at := range s.parts.Rows(number, *row) {
		part, ok := s.one.At(at)
		b.bytes -= int(part.Len)
		if ok && at > number && s.matcher.Match(at, part) {
			return true
		}
	}
	return false
}

// A filter finds an exchange by either half.
func (s *scan) answerPasses(number int, row *session.Row, b *budget) bool {
	at, _ := row.Partner()
	if s.listing.view != Exchanges || row.Msg != framing.Request || at <= number {
		return false
	}
	if i := at - s.from; i >= 0 && i < s.n && s.verdicts[i] != filter.Unread {
		return s.verdicts[i] == filter.Yes // found with the rows around it, without reading it alone
	}
	response, ok := s.one.At(at)
	if !ok {
		return false
	}
	b.bytes -= int(response.Len)
	return s.matcher.Match(at, response)
}

// Neither the response of an exchange, nor a later round, nor a later part of a line has a
// row of its own.
func (s *scan) lists(number int, row *session.Row) bool {
	part := s.listing.view == Exchanges && (workspace.Answers(number, row) || row.Msg == framing.Request && s.rounds.First(number) != number || s.firstPart(number, row) != number)
	return s.listed[row.Kind] && !s.listing.hides(row) && !part
}

// firstPart returns the first part of the line that a row is a part of, or the row.
func (s *scan) firstPart(number int, row *session.Row) int {
	if part, ok := s.parts.Of(number, *row); ok {
		return part.First
	}
	return number
}

func (s *scan) read(number int, row *session.Row, b *budget) bool {
	b.bytes -= int(row.Len)
	return s.matcher.Read(number, *row)
}

func (s *scan) settle(found *scanned, row session.Row, v filter.Verdict, b *budget) {
	if request, ok := row.Partner(); ok && request < s.newer {
		s.again(found, s.first(request), b)
		return
	}
	if first := s.first(s.newer); first != s.newer {
		s.again(found, first, b)
		return
	}
	if first := s.firstPart(s.newer, &row); first != s.newer && s.listing.view == Exchanges {
		s.extend(found, first, &row, v, b)
		return
	}
	switch row.Kind {
	case session.KindState, session.KindClosed, session.KindFailed:
	case session.KindStdin, session.KindStdout:
		if s.source.Method(row.Method) != "notifications/cancelled" {
			return
		}
	default:
		return
	}
	open := s.open[:0]
	for _, request := range s.open {
		if !s.again(found, request, b) {
			open = append(open, request)
		} else if first := s.first(request); first != request {
			s.again(found, first, b)
		}
	}
	s.open = open
}

// extend adds a part to a line whose first part and earlier parts were checked when they
// came: another part can only make the line pass.
func (s *scan) extend(found *scanned, first int, part *session.Row, v filter.Verdict, b *budget) {
	if first < s.older || v == filter.No || v == filter.Unread && !s.read(s.newer, part, b) {
		return
	}
	if head, ok := s.one.At(first); ok && s.lists(first, &head) {
		found.changed = append(found.changed, verdict{uint32(first), true})
	}
}

// first returns the request that begins the exchange of a request, which has the
// row.
func (s *scan) first(request int) int {
	if s.listing.view != Exchanges {
		return request
	}
	return s.rounds.First(request)
}

// again returns false if it is too early for that.
func (s *scan) again(found *scanned, request int, b *budget) bool {
	row, ok := s.one.At(request)
	if !ok || row.State == session.ReqPending || request < s.older {
		return false
	}
	b.bytes -= int(row.Len)
	passes := s.lists(request, &row) && (s.matcher.Match(request, row) || s.answerPasses(request, &row, b) || s.roundPasses(request, &row, b) || s.partPasses(request, &row, b))
	found.changed = append(found.changed, verdict{uint32(request), passes})
	return true
}

// budget is the remaining work of one step.
type budget struct{ rows, bytes int }

func (b *budget) left() bool { return b.rows > 0 && b.bytes > 0 }
