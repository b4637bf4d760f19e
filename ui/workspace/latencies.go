package workspace

import (
	"math"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/session/mcp"
	"mcpdbg/session/summary"
)

const (
	// latencyTools and latencyMethods are how many tools and methods have a line
	// of their own; later ones share the line OtherLatencies.
	latencyTools   = 200
	latencyMethods = 60
	// latencyGrowth is the ratio of the limits of adjacent buckets: their middle
	// is at most 5 % from any time in them. The last bucket begins at 10 hours.
	latencyGrowth  = 1.1
	logGrowth      = 0.09531017980432493 // the natural logarithm of latencyGrowth
	latencyBuckets = 256
	// maxAt is the latest time of a request; later ones count as that, so that
	// no time of a damaged log overflows: 2,000 years.
	maxAt = 1 << 56
	// SeriesSlots is the number of slots of Latency.Series.
	SeriesSlots = 32
	// firstSlot is the width of a slot at first, in microseconds.
	firstSlot = 100_000
	// maxToolName is how many bytes of the name of a tool are kept.
	maxToolName = 128
	// OtherLatencies is the name of the line of all further methods or tools.
	OtherLatencies = "others"
)

// Latencies are how long the server took for the requests that it answered, or until they
// were cancelled, for each method and each tool. They are counted while rows are appended, except for
// the tools: their names are in the messages, which are read in the background,
// and until then a call costs four bytes here. The rest is bounded: a line costs
// 1.4 KiB, and there are at most 263.
//
// The handshake is not counted: how long a server takes to start says nothing
// about its calls.
type Latencies struct {
	all     Latency
	methods latencyGroup
	tools   latencyGroup
	slot    int64    // width of a slot of all series, in microseconds
	unnamed []uint32 // answered calls of tools whose names were not read so far, by the rows that AnsweredBy takes
	rows    Rows
}

// A Latency is the line of a method or a tool, or of all requests.
type Latency struct {
	Method, Tool string             // both empty for all requests
	Others       bool               // of all methods or tools without a line of their own
	N, Errors    uint64             // calls that ended, and those with an error
	Min, Max     int64              // the shortest and the longest time, in microseconds
	Slowest      int                // row of the request that took it
	Cancelled    uint64             // of N, those that were cancelled before a response: they took the time until that
	Person       int64              // what the server waited for its client, in all
	Series       [SeriesSlots]int64 // the longest time in each slot of the log

	buckets [latencyBuckets]uint32
}

// An Answered is a request with its response, or one that was cancelled before it.
type Answered struct {
	Request      int    // row
	Method, Tool string // no tool if it is not the call of one
	At, Took     int64  // when it was sent, and how long the server took, in microseconds
	Person       int64  // what the server waited for its client
	Failed       bool
	Cancelled    bool // Took is the time until that
}

// A latencyGroup is a limited number of lines by name.
type latencyGroup struct {
	lines  []*Latency
	byName map[string]*Latency
	most   int
}

// NewLatencies returns empty statistics of a log.
func NewLatencies(source session.Source) *Latencies {
	return &Latencies{
		methods: latencyGroup{byName: map[string]*Latency{}, most: latencyMethods},
		tools:   latencyGroup{byName: map[string]*Latency{}, most: latencyTools},
		slot:    firstSlot, rows: Rows{Source: source},
	}
}

// of returns the line with a name, and makes it if there is room.
func (g *latencyGroup) of(name string, method, tool string) *Latency {
	if l := g.byName[name]; l != nil {
		return l
	}
	l := &Latency{Method: method, Tool: tool}
	switch {
	case len(g.lines) > g.most:
		return g.lines[g.most]
	case len(g.lines) == g.most:
		l = &Latency{Others: true}
		if tool != "" {
			l.Method, l.Tool = method, OtherLatencies
		} else {
			l.Method = OtherLatencies
		}
	default:
		g.byName[name] = l
	}
	g.lines = append(g.lines, l)
	return l
}

// IsHandshake reports whether a method belongs to the handshake.
func IsHandshake(method string) bool {
	return method == mcp.MethodInitialize || method == mcp.MethodDiscover
}

// AnsweredBy returns the exchange that the response or cancellation at a row ends, without
// the name of a tool; ok is false for other rows, for requests of the server and for
// the handshake. It is the time of the server alone. Of several rounds
// it is that for all of them, of a task that until its end.
func (r *Rows) AnsweredBy(links *exchange.Links, number int, row *session.Row) (a Answered, ok bool) {
	if row.Kind == session.KindStdin && row.Msg == framing.Notification {
		return r.cancelledBy(links, number, row)
	}
	if row.Kind != session.KindStdout || row.Msg != framing.Response && row.Msg != framing.ErrorResponse || row.State == session.ReqInput || !Answers(number, row) {
		return Answered{}, false
	}
	last, _ := row.Partner()
	request, ok := r.At(last)
	method := r.Method(request.Method)
	if poll := mcp.IsTaskMethod(method); poll && links.First(last) != last {
		return r.taskAnswered(links, number, row)
	} else if row.State == session.ReqTask && !poll {
		return Answered{}, false
	}
	if !ok || request.Msg != framing.Request || request.State != session.ReqAnswered && request.State != session.ReqFailed {
		return Answered{}, false
	}
	return r.answered(links, links.First(last), row), !IsHandshake(method)
}

// taskAnswered returns the call whose task a response ends: one to a request about
// the task, unless it only acknowledges that or refuses it.
func (r *Rows) taskAnswered(links *exchange.Links, number int, row *session.Row) (a Answered, ok bool) {
	last, _ := row.Partner()
	request, _ := r.At(last)
	method := r.Method(request.Method)
	refused := row.Msg == framing.ErrorResponse && (method == mcp.MethodTasksUpdate || method == mcp.MethodTasksCancel)
	if row.State == session.ReqTask || refused {
		return Answered{}, false
	}
	return r.answered(links, links.First(last), row), true
}

// cancelledBy returns the exchange that a notification is the first to cancel.
func (r *Rows) cancelledBy(links *exchange.Links, number int, row *session.Row) (a Answered, ok bool) {
	first, ok := links.CancelOf(number)
	if !ok {
		return Answered{}, false
	}
	if at, _ := links.Cancelled(first); at != number {
		return Answered{}, false
	}
	a = r.answered(links, first, row)
	a.Cancelled = true
	return a, !IsHandshake(a.Method)
}

// answered returns the exchange of a request that a response ends.
func (r *Rows) answered(links *exchange.Links, first int, response *session.Row) Answered {
	request, _ := r.At(first)
	took := links.Split(r, first, exchange.Span{From: request.T, To: response.T})
	return Answered{Request: first, Method: r.Method(request.Method), At: request.T, Took: took.Server, Person: took.Person, Failed: response.Flags&session.FlagError != 0}
}

// add counts a new row if it is the response or cancellation that ends an exchange.
func (l *Latencies) add(links *exchange.Links, number uint32, row *session.Row) {
	a, ok := l.rows.AnsweredBy(links, int(number), row)
	if !ok {
		return
	}
	l.count(&l.all, &a)
	l.count(l.methods.of(a.Method, a.Method, ""), &a)
	if a.Method == mcp.MethodToolsCall {
		l.unnamed = append(l.unnamed, number)
	}
}

// Add counts an answered request, with the name of its tool.
func (l *Latencies) Add(a Answered) {
	l.count(&l.all, &a)
	l.count(l.methods.of(a.Method, a.Method, ""), &a)
	l.AddTool(a)
}

// AddTool counts an answered call of a tool whose name has been read: only for
// the tool, because the method is counted already.
func (l *Latencies) AddTool(a Answered) {
	if a.Method == mcp.MethodToolsCall {
		l.count(l.tools.of(a.Tool, a.Method, a.Tool), &a)
	}
}

// TakeUnnamed returns responses to calls of tools, and cancellations, for which names are
// to be read and passed to AddTool, at most the given number.
func (l *Latencies) TakeUnnamed(most int) []uint32 {
	n := min(len(l.unnamed), most)
	taken := l.unnamed[:n:n]
	if l.unnamed = l.unnamed[n:]; len(l.unnamed) == 0 {
		l.unnamed = nil
	}
	return taken
}

// ReadAnswered returns the exchanges that the responses and cancellations at rows end, with
// the names of their tools. It may be called on any goroutine.
func ReadAnswered(source session.Source, links *exchange.Links, ends []uint32) []Answered {
	rows, reader := Rows{Source: source}, session.InOrder(source)
	read := make([]Answered, 0, len(ends))
	var buf []byte
	for _, number := range ends {
		row, ok := rows.At(int(number))
		a, answered := rows.AnsweredBy(links, int(number), &row)
		if !ok || !answered {
			continue
		}
		if request, ok := rows.At(a.Request); ok && a.Method == mcp.MethodToolsCall {
			if buf == nil {
				buf = make([]byte, summary.Limit+1<<10)
			}
			if e, err := reader.EntryInto(request, summary.Limit, buf[:0]); err == nil {
				name := summary.Call(a.Method, e.Payload)
				a.Tool = name[:min(len(name), maxToolName)]
			}
		}
		read = append(read, a)
	}
	return read
}

// Lines returns all lines: that of all requests first, then the methods in the
// order in which they were first used, and the tools, without the method that calls them.
func (l *Latencies) Lines() []*Latency {
	lines := []*Latency{&l.all}
	for _, m := range l.methods.lines {
		if m.Method != mcp.MethodToolsCall || m.Others {
			lines = append(lines, m)
		}
	}
	return append(lines, l.tools.lines...)
}

// All returns the line of all requests.
func (l *Latencies) All() *Latency { return &l.all }

// Version changes with each request that is counted.
func (l *Latencies) Version() uint64 {
	n := l.all.N
	for _, t := range l.tools.lines {
		n += t.N
	}
	return n
}

// Slots returns the width of a slot of all series, in microseconds, and how many
// of them are used.
func (l *Latencies) Slots() (width int64, used int) {
	for _, line := range l.methods.lines {
		for i, v := range line.Series {
			if v > 0 {
				used = max(used, i+1)
			}
		}
	}
	return l.slot, used
}

// count counts a request in a line.
func (l *Latencies) count(line *Latency, a *Answered) {
	at := min(max(a.At, 0), maxAt)
	for at >= l.slot*SeriesSlots {
		l.widen()
	}
	line.N++
	line.Person += a.Person
	if a.Failed {
		line.Errors++
	}
	if a.Cancelled {
		line.Cancelled++
	}
	if line.N == 1 || a.Took < line.Min {
		line.Min = a.Took
	}
	if a.Took >= line.Max {
		line.Max, line.Slowest = a.Took, a.Request
	}
	line.buckets[bucketOf(a.Took)]++
	slot := &line.Series[at/l.slot]
	*slot = max(*slot, a.Took, 1)
}

// widen doubles the width of all slots.
func (l *Latencies) widen() {
	l.slot *= 2
	for _, line := range slices.Concat([]*Latency{&l.all}, l.methods.lines, l.tools.lines) {
		s := &line.Series
		for i := range SeriesSlots / 2 {
			s[i] = max(s[2*i], s[2*i+1])
		}
		clear(s[SeriesSlots/2:])
	}
}

// bucketOf returns the bucket of a time in microseconds.
func bucketOf(us int64) int {
	if us <= 1 {
		return 0
	}
	return min(int(math.Log(float64(us))/logGrowth), latencyBuckets-1)
}

// bucketFrom returns the time in microseconds at which a bucket begins.
func bucketFrom(bucket int) float64 { return math.Pow(latencyGrowth, float64(bucket)) }

// Median returns the time within which half of the requests were answered, as
// Quantile does.
func (l *Latency) Median() int64 { return l.Quantile(0.5) }

// Quantile returns the time within which a share of the requests were answered,
// with an error of at most 5 %; 0 without requests.
func (l *Latency) Quantile(share float64) int64 {
	if l.N == 0 {
		return 0
	}
	rank := max(uint64(math.Ceil(share*float64(l.N))), 1)
	var n uint64
	for i, count := range l.buckets {
		if n += uint64(count); n >= rank {
			middle := bucketFrom(i) * math.Sqrt(latencyGrowth)
			return min(max(int64(middle), l.Min), l.Max)
		}
	}
	return l.Max
}

// CountBetween returns how many requests took a time of at least from and less
// than to, in microseconds, to the accuracy of the buckets.
func (l *Latency) CountBetween(from, to int64) (n uint64) {
	for i, count := range l.buckets {
		if middle := bucketFrom(i) * math.Sqrt(latencyGrowth); float64(from) <= middle && middle < float64(to) {
			n += uint64(count)
		}
	}
	return n
}
