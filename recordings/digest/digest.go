// Package digest summarizes what was requested in a log and what failed: by method and
// tool, by the message of the failure, and call by call for those without a response and
// those that took longest. Reports on a recording have their numbers from it.
package digest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/session/mcp"
	"mcpdbg/session/summary"
)

const (
	// maxLines is how many methods and tools have a line of their own.
	maxLines = 4096
	// maxListed is how many calls without a response are described.
	maxListed = 100
	// listedSlowest is how many calls Slowest has.
	listedSlowest = 10
	// ReadBytes of a message are read for its name, its arguments and its failure.
	ReadBytes = 4 << 10
	// nameBytes of a call are read if its name is not in the first ones.
	nameBytes = 256 << 10
	// otherNames is the method of the line of all further methods and tools.
	otherNames = "(others)"
)

// A Digest is the summary of a log up to the moment at which it was read.
type Digest struct {
	// Lines are those of the client before those of the server, each with the most
	// requests first.
	Lines    []Line
	Failures Failures
	// Unanswered are the first calls that ended without a response, or have none yet, in
	// the order of the log. Cancelled calls are not among them, nor requests that may take
	// any time, nor those whose response was too long to be read.
	Unanswered     []Call
	MoreUnanswered int // that Unanswered does not list
	// WhyUnanswered is statements that hold for all of them, as Failure.Evidence.
	WhyUnanswered []string
	// Slowest are the client's calls that took longest, and were answered, without the
	// handshake.
	Slowest []Call
	// Slower are the moments from which tools took clearly longer.
	Slower []Slowing
	// Untimed means that all entries have the same time, as after the import of a log
	// without times. Then nothing above has a duration.
	Untimed bool
}

// A Line counts the requests of a method, or calls of a tool, of one sender. Times are
// microseconds, until the response or the cancellation; for the client's requests, the
// server's part. They are nil if there is none.
type Line struct {
	Method     string `json:"method"`
	Tool       string `json:"tool,omitempty"`
	From       string `json:"from"` // client or server
	Requests   int    `json:"requests"`
	Errors     int    `json:"errors"`     // error responses and results with isError
	Unanswered int    `json:"unanswered"` // cancelled, timed out, lost or still open
	P50        *int64 `json:"p50_us,omitempty"`
	P95        *int64 `json:"p95_us,omitempty"`
	P99        *int64 `json:"p99_us,omitempty"`
	Max        *int64 `json:"max_us,omitempty"`
	Person     int64  `json:"person_us,omitempty"` // what the server waited for its client, in all its requests
	took       []int64
	rows       []int32 // of took
}

// Name is the tool, or else the method.
func (l *Line) Name() string { return cmp.Or(l.Tool, l.Method) }

// A Call is a request.
type Call struct {
	Row     int    `json:"-"`
	N       uint64 `json:"n"`
	Element int    `json:"element,omitempty"` // place in a batch, from 1
	T       int64  `json:"t"`                 // when it was sent
	Took    int64  `json:"took_us,omitempty"` // until its response, or else the end of the log
	// Next is when the client sent its next request, after T, of those without a response.
	Next      *int64 `json:"next_us,omitempty"`
	ID        string `json:"id,omitempty"` // the JSON of the id, of the same
	State     string `json:"state"`        // as in the recording
	From      string `json:"from"`         // client or server
	Method    string `json:"method"`
	Tool      string `json:"tool,omitempty"`      // or what else the request names
	Arguments string `json:"arguments,omitempty"` // as its row shows them
}

// CallOf describes a request, without its place and its times.
func CallOf(method string, request []byte) Call {
	return Call{Method: method, Tool: summary.Call(method, request), Arguments: summary.Request(method, request)}
}

// Name is the tool or another name, or else the method, as its row shows it.
func (c *Call) Name() string {
	if c.Method == mcp.MethodToolsCall && c.Tool != "" {
		return c.Tool
	}
	if c.Tool != "" {
		return c.Method + " " + c.Tool
	}
	return c.Method
}

// Words returns the name and the arguments of the call, as its row shows them.
func (c *Call) Words() string { return wording.Join(" ", c.Name(), c.Arguments) }

// WentOn describes when the client sent its next request, "" if that is not known.
func (c *Call) WentOn() string {
	if c.Next == nil {
		return ""
	}
	return "next request of the client after " + wording.Took(*c.Next)
}

// Entry returns the number of the entry, with the place in a batch.
func (c *Call) Entry() string { return EntryText(c.N, c.Element) }

// EntryText formats the number of an entry, with a place in it from 1 if it is a batch.
func EntryText(n uint64, element int) string {
	if element == 0 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d (%s in batch)", n, wording.Ordinal(element))
}

// Read summarizes src up to its current end. An entry that cannot be read has no name. If
// ctx ends, the digest is that of the rows so far.
func Read(ctx context.Context, src session.Source) *Digest {
	d := &reader{
		src: src, in: session.InOrder(src), times: exchange.NewTable(src), buf: make([]byte, ReadBytes+1<<10),
		lines: map[lineKey]*Line{}, failures: map[string]*Failure{}, room: maxSets,
		succeeded: map[string]*callSet{}, hanging: map[string]*callSet{},
	}
	d.unsure = src.Header().Imported.LacksResults() // failed and other results look alike
	batches := false
	for number, row := range session.RowsFrom(src, 0) {
		if number%1024 == 0 && ctx.Err() != nil {
			break
		}
		d.timed = d.timed || number > 0 && row.T != d.last
		d.last = row.T
		batches = batches || row.Msg == framing.Batch
		d.unsure = d.unsure || row.Kind == session.KindStdin && row.Flags&(session.FlagPart|session.FlagBatch) != 0
		if row.State == session.ReqUnread {
			d.unread(row)
		}
		if row.Kind == session.KindStderr {
			if len(d.stderr) == 2*latestLines {
				d.stderr = append(d.stderr[:0], d.stderr[latestLines:]...)
			}
			d.stderr = append(d.stderr, int32(number))
		}
		if row.Kind == session.KindStdin {
			d.endWatch()
		}
		if row.Kind == session.KindStdin && (row.Msg == framing.Request || row.Msg == framing.Batch) {
			d.next(row.T)
		}
		switch row.Msg {
		case framing.Request:
			d.request(number, row)
		case framing.Response, framing.ErrorResponse:
			if row.Flags&session.FlagError != 0 {
				d.failed(row)
			}
		}
	}
	if batches || d.unsure {
		d.succeeded, d.hanging = nil, nil
	}
	if batches {
		d.readBatches(ctx)
	}
	d.endWatch()
	return d.digest(ctx)
}

type lineKey struct{ method, tool, from string }

type reader struct {
	src      session.Source
	in       session.IntoReader
	times    *exchange.Table
	buf      []byte
	last     int64 // time of the last row
	timed    bool  // rows have several times
	lines    map[lineKey]*Line
	failures map[string]*Failure
	more     int // failures of further messages
	open     []Call
	moreOpen int
	stderr   []int32 // the latest rows of lines there
	watched  []watch
	slowest  []Call // unsorted
	// succeeded are the tool calls of the client that did, by tool, and hanging those without
	// a response. They are nil if some are in batches, whose arguments are not read, or if
	// unsure.
	succeeded, hanging map[string]*callSet
	unsure             bool // not all calls that succeeded are known
	room               int  // for further sets
}

func (d *reader) line(method, tool, from string) *Line {
	key := lineKey{method, tool, from}
	if d.lines[key] == nil && len(d.lines) >= maxLines {
		key = lineKey{otherNames, "", from}
	}
	l := d.lines[key]
	if l == nil {
		l = &Line{Method: key.method, Tool: key.tool, From: from}
		d.lines[key] = l
	}
	return l
}

func sender(stream session.Kind) string {
	if stream == session.KindStdout {
		return "server"
	}
	return "client"
}

// request counts the request at a row. Only that of a call has a name that is read.
func (d *reader) request(number int, row session.Row) {
	c := Call{Row: number, T: row.T, State: row.State.String(), From: sender(row.Kind), Method: d.src.Method(row.Method)}
	if c.Method == mcp.MethodToolsCall {
		c.Tool = d.tool(row, &c)
	}
	line := d.line(c.Method, c.Tool, c.From)
	line.Requests++
	if row.Flags&session.FlagError != 0 {
		line.Errors++
	}
	took, cancelled := d.times.TimesCancelled(number, row)
	partner, answered := session.PartnerOf(d.src, row)
	if answered && !cancelled {
		took = d.times.Times(number, row, partner)
	}
	if row.State != session.ReqAnswered && row.State != session.ReqFailed {
		line.Unanswered++
		probe := row.Flags&session.FlagProbe != 0 // silence is a response to it
		if !probe && row.State != session.ReqCancelled && row.State != session.ReqInput && row.State != session.ReqTask && !mcp.WaitsLong(c.Method) {
			d.unanswered(c)
		}
		if !cancelled {
			return
		}
	}
	answering, waited := took.Answering(row.Kind)
	line.took, line.rows = append(line.took, answering), append(line.rows, int32(number))
	line.Person += waited
	if c.Took = answering; !cancelled && c.From == "client" && c.Method != mcp.MethodInitialize && c.Method != mcp.MethodDiscover {
		d.slow(c)
	}
}

func (d *reader) unanswered(c Call) {
	if len(d.open) == maxListed {
		d.moreOpen++
		return
	}
	d.describe(&c)
	if row, ok := session.RowAt(d.src, c.Row); ok && c.Element == 0 {
		if e, err := d.src.Entry(row, ReadBytes); err == nil && !e.Cut {
			c.ID = wording.Clip(string(e.Msg.ID.Of(e.Payload)), maxName, wording.Ellipsis)
		}
	}
	d.open = append(d.open, c)
}

// next notes when the client sent a request after those without a response.
func (d *reader) next(t int64) {
	for i := len(d.open) - 1; i >= 0 && d.open[i].Next == nil; i-- {
		if c := &d.open[i]; c.From == "client" {
			after := t - c.T
			c.Next = &after
		}
	}
}

// unread forgets the request whose response at a row is too long or too deep to be read: it
// has one.
func (d *reader) unread(response session.Row) {
	request, _ := response.Partner()
	before := len(d.open)
	d.open = slices.DeleteFunc(d.open, func(c Call) bool { return c.Row == request })
	row, ok := session.RowAt(d.src, request)
	if len(d.open) == before && d.moreOpen > 0 && ok && row.State != session.ReqCancelled && !mcp.WaitsLong(d.src.Method(row.Method)) {
		d.moreOpen--
	}
}

// slow keeps a call if it is among the slowest.
func (d *reader) slow(c Call) {
	if len(d.slowest) < listedSlowest {
		d.slowest = append(d.slowest, c)
		return
	}
	least := 0
	for i := range d.slowest {
		if d.slowest[i].Took < d.slowest[least].Took {
			least = i
		}
	}
	if c.Took > d.slowest[least].Took {
		d.slowest[least] = c
	}
}

// tool reads the name of the tool that a request calls, and keeps the arguments if the call
// succeeded or has no response.
func (d *reader) tool(request session.Row, c *Call) string {
	e, err := d.requestAt(request, mcp.MethodToolsCall)
	if err != nil {
		d.unsure = true
		return ""
	}
	name := summary.Call(mcp.MethodToolsCall, e.Payload)
	_, hasResponse := request.Partner()
	switch {
	case c.From != "client", request.Flags&session.FlagError != 0, request.State == session.ReqInput:
		return name
	case request.State == session.ReqCancelled:
		d.unsure = d.unsure || hasResponse // a late result
		return name
	}
	into := d.succeeded
	if !hasResponse {
		into = d.hanging
	}
	arguments, task := argumentsOf(&e)
	s := setOf(into, name, &d.room)
	if s == nil {
		d.unsure = true
		return name
	}
	s.addAmong(d.succeeded[name], c.T, e.N, arguments)
	s.unsure = s.unsure || task || hasResponse && request.State != session.ReqAnswered
	return name
}

// describe reads the number, the name and the arguments of a request, unless it has them.
func (d *reader) describe(c *Call) {
	row, ok := session.RowAt(d.src, c.Row)
	if !ok || c.N > 0 {
		return
	}
	e, err := d.requestAt(row, c.Method)
	if err != nil {
		return
	}
	of := CallOf(c.Method, e.Payload)
	c.N, c.Tool, c.Arguments = e.N, of.Tool, of.Arguments
}

// requestAt reads the beginning of a request, as far as the name of the tool.
func (d *reader) requestAt(row session.Row, method string) (session.Entry, error) {
	e, err := d.in.EntryInto(row, ReadBytes, d.buf[:0])
	if err == nil && e.Cut && method == mcp.MethodToolsCall && summary.Call(method, e.Payload) == "" {
		if more, err := d.src.Entry(row, nameBytes); err == nil { // the arguments come first
			return more, nil
		}
	}
	return e, err
}

func (d *reader) digest(ctx context.Context) *Digest {
	if !d.timed {
		d.slowest = nil
		for _, l := range d.lines {
			l.took, l.rows = nil, nil
		}
	}
	_, several := session.RowAt(d.src, 1)
	out := &Digest{Unanswered: d.open, MoreUnanswered: d.moreOpen, Slowest: d.slowest, Slower: d.slower(), Untimed: !d.timed && several}
	for _, l := range d.lines {
		l.summarize()
		out.Lines = append(out.Lines, *l)
	}
	sort.Slice(out.Lines, func(i, j int) bool {
		a, b := &out.Lines[i], &out.Lines[j]
		return cmp.Or(cmp.Compare(a.From, b.From), -cmp.Compare(a.Requests, b.Requests), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Tool, b.Tool)) < 0
	})
	sort.SliceStable(out.Unanswered, func(i, j int) bool {
		a, b := &out.Unanswered[i], &out.Unanswered[j]
		return cmp.Compare(a.Row, b.Row) < 0
	})
	for i := range out.Unanswered {
		c := &out.Unanswered[i]
		if c.Took = d.last - c.T; !d.timed {
			c.Next = nil
		}
	}
	sort.Slice(out.Slowest, func(i, j int) bool {
		a, b := &out.Slowest[i], &out.Slowest[j]
		return cmp.Or(-cmp.Compare(a.Took, b.Took), cmp.Compare(a.Row, b.Row)) < 0
	})
	for i := range out.Slowest {
		d.describe(&out.Slowest[i])
	}
	out.Failures = d.grouped(ctx)
	if d.succeeded != nil {
		out.WhyUnanswered = compare(d.hanging, d.succeeded, len(out.Unanswered)+out.MoreUnanswered, true)
	}
	return out
}

// summarize computes the percentiles of the times: the nearest rank.
func (l *Line) summarize() {
	if len(l.took) == 0 {
		return
	}
	sorted := slices.Clone(l.took) // these stay in the order of the calls
	slices.Sort(sorted)
	at := func(percent int) *int64 { return &sorted[(len(sorted)*percent+99)/100-1] }
	l.P50, l.P95, l.P99, l.Max = at(50), at(95), at(99), at(100)
}

// ByMethod returns a line for each method: calls of all tools have one.
func (d *Digest) ByMethod() []Line {
	var lines []Line
	at := map[lineKey]int{}
	for i := range d.Lines {
		l := &d.Lines[i]
		key := lineKey{l.Method, "", l.From}
		n, known := at[key]
		if !known {
			n, at[key] = len(lines), len(lines)
			lines = append(lines, Line{Method: l.Method, From: l.From})
		}
		sum := &lines[n]
		sum.Requests += l.Requests
		sum.Errors += l.Errors
		sum.Unanswered += l.Unanswered
		sum.Person += l.Person
		sum.took = append(sum.took, l.took...)
	}
	for i := range lines {
		lines[i].summarize()
	}
	sort.Slice(lines, func(i, j int) bool {
		a, b := &lines[i], &lines[j]
		return cmp.Or(cmp.Compare(a.From, b.From), -cmp.Compare(a.Requests, b.Requests), cmp.Compare(a.Method, b.Method)) < 0
	})
	return lines
}
