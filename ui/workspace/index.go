package workspace

import (
	"sort"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/table"
)

// PullRows is how many rows are read at a time, so that a long recording does not delay
// the first frame or the keys: about 4 ms to read them back.
const PullRows = 1 << 16

// messageCost is how many rows can be listed while one message is read.
const messageCost = 16

// Index lists the rows of a log by pane. It costs four bytes a row.
type Index struct {
	Scanned   int   // rows listed so far
	Latest    int64 // time of the last row
	Traffic   *table.Folded
	Exchanges *Exchanges
	Calls     int        // our requests, with batches as one
	Latencies *Latencies // nil for an earlier moment, which counts no requests
	Stderr    []uint32
	Events    []uint32
	Points    [PointKinds][]uint32
	Offers    []uint32
	Partial   bool // rows before the first are missing

	offered func(row *session.Row) bool           // whether a row belongs to Offers
	notice  func(number uint32, row *session.Row) // gets each row; see Workspace.WatchCalls
	whole   *Index                                // the index it was cut from, or nil
	callsAt []uint32                              // Calls before each row whose number is a multiple of callStep
}

// A PointKind is a kind of row that the user can jump to.
type PointKind uint8

// The kinds of points.
const (
	ErrorPoint PointKind = iota // an error response, or a line that is not a message
	LagPoint                    // the reader lagged or was paused
	GapPoint                    // output was lost
	ExitPoint                   // a process ended
	MarkPoint                   // by the user; in no index
	PointKinds                  // the number of kinds
)

func pointOf(row *session.Row) (kind PointKind, ok bool) {
	switch row.Kind {
	case session.KindStdin, session.KindStdout:
		// For a failed request the point is its response.
		return ErrorPoint, row.Msg != framing.Request && filter.IsProblem(*row)
	case session.KindLagged, session.KindHeld:
		return LagPoint, true
	case session.KindGap:
		return GapPoint, true
	case session.KindExited, session.KindFailed:
		return ExitPoint, true
	}
	return 0, false
}

// NewIndex returns an empty index.
func NewIndex() *Index {
	return &Index{Traffic: &table.Folded{}, Exchanges: newExchanges(), Latencies: NewLatencies(nil)}
}

// Pull lists new rows and reports whether there are more.
func (x *Index) Pull(source session.Source) (more bool) {
	limit := x.Scanned + PullRows
	x.Exchanges.setSource(source)
	if x.Latencies != nil {
		x.Latencies.rows.Source = source
	}
	for x.Scanned < limit {
		if !x.Exchanges.Next() {
			return false
		}
		number, row := x.Exchanges.Row()
		x.add(uint32(number), row)
		x.Scanned, x.Latest = number+1, row.T
		limit -= messageCost * x.Exchanges.TakeCost()
	}
	return x.Scanned < source.Len()
}

// calls reports whether a row is a call of ours, or a batch: not the handshake, a later
// round, or a poll of a task.
func (x *Index) calls(number int, row *session.Row) bool {
	if row.Kind != session.KindStdin || row.Msg != framing.Request {
		return row.Kind == session.KindStdin && row.Msg == framing.Batch
	}
	return x.Exchanges.First(number) == number && !IsHandshake(x.Exchanges.rows.Method(row.Method))
}

func (x *Index) add(number uint32, row *session.Row) {
	if x.notice != nil {
		x.notice(number, row)
	}
	if x.offered != nil && x.offered(row) {
		x.Offers = append(x.Offers, number)
	}
	x.Exchanges.add(number, row)
	if number%callStep == 0 {
		x.callsAt = append(x.callsAt, uint32(x.Calls))
	}
	if x.calls(int(number), row) {
		x.Calls++
	}
	if x.Latencies != nil {
		x.Latencies.add(&x.Exchanges.Links, number, row)
	}
	if kind, ok := pointOf(row); ok {
		x.Points[kind] = append(x.Points[kind], number)
	}
	switch row.Kind {
	case session.KindStdin, session.KindStdout:
		x.Traffic.Append(number, FloodKind(row))
	case session.KindStderr:
		if row.Flags&session.FlagLineEnd != 0 {
			return // nothing to show
		}
		x.Stderr = append(x.Stderr, number)
	default:
		x.Events = append(x.Events, number)
	}
}

// UpTo returns the index as when the log, which source shows in that state, had the given
// number of rows, the last one at time latest. It shares its lists with x, which may
// still grow.
func (x *Index) UpTo(source session.Source, rows int, latest int64) *Index {
	cut := &Index{
		Scanned: rows, Latest: latest, Traffic: x.Traffic.UpTo(rows),
		Exchanges: x.Exchanges.upTo(source, rows), Calls: x.callsBefore(rows),
		Stderr: before(x.Stderr, rows), Events: before(x.Events, rows), Offers: before(x.Offers, rows), whole: x,
	}
	for kind := range x.Points {
		cut.Points[kind] = before(x.Points[kind], rows)
	}
	return cut
}

// callStep is how many rows are read at most to count the calls of an earlier moment.
const callStep = 1024

func (x *Index) callsBefore(rows int) int {
	at := rows / callStep
	if at >= len(x.callsAt) {
		return x.Calls
	}
	n := int(x.callsAt[at])
	for number := at * callStep; number < rows; number++ {
		if row, ok := x.Exchanges.rows.At(number); ok && x.calls(number, &row) {
			n++
		}
	}
	return n
}

// before returns the part of a list below row, with its capacity cut: appending copies.
func before(list []uint32, row int) []uint32 {
	n := sort.Search(len(list), func(i int) bool { return int(list[i]) >= row })
	return list[:n:n]
}

// SetFold folds or unfolds a flood of the traffic and reports whether that changed
// anything.
func (x *Index) SetFold(row int, fold bool) bool {
	if x.whole != nil {
		x.whole.SetFold(row, fold)
	}
	exchanges, traffic := x.Exchanges.List.SetFold(row, fold), x.Traffic.SetFold(row, fold)
	return exchanges || traffic
}

// SetFolds folds or unfolds all floods of the traffic, including later ones.
func (x *Index) SetFolds(fold bool) {
	if x.whole != nil {
		x.whole.SetFolds(fold)
	}
	x.Traffic.SetAll(fold)
	x.Exchanges.List.SetAll(fold)
}

// FloodKind returns the key by which a row folds: notifications fold with others of the
// same method and direction. It is 0 for rows that never fold, which may be part of a
// problem or of an exchange.
func FloodKind(row *session.Row) uint32 {
	if row.Msg != framing.Notification || row.Flags != 0 || row.State != session.ReqNone {
		return 0
	}
	return uint32(row.Method)<<8 | uint32(row.Kind)
}

// A Rows reads single rows of a log. It must be used by one goroutine only.
type Rows struct {
	session.Source
	row [1]session.Row // kept: reading does not allocate
}

// At returns the row with a number; ok is false without one.
func (r *Rows) At(number int) (session.Row, bool) {
	ok := number >= 0 && r.Rows(number, r.row[:]) == 1
	return r.row[0], ok
}

// PartnerOf returns the partner of a row; ok is false without one, or not yet.
func (r *Rows) PartnerOf(row session.Row) (partner session.Row, ok bool) {
	number, _ := row.Partner()
	return r.At(number)
}

// OfEntry returns the row of entry n.
func (r *Rows) OfEntry(n uint64) (number int, ok bool) { return exchange.RowOf(r, n) }
