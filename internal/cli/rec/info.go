package rec

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/internal/problems"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
	"mcpdbg/recordings/match"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/cause"
	"mcpdbg/session/diagnosis/rule"
	"mcpdbg/session/exchange"
	"mcpdbg/session/tap"
	"mcpdbg/ui/widget/filter"
)

// Info is the document of rec info --json.
type Info struct {
	File     string             `json:"file"`
	Header   session.Header     `json:"header"`
	State    string             `json:"state"`             // as in rec ls, or damaged
	Stopped  string             `json:"stopped,omitempty"` // why its recorder could not write the rest
	Entries  int                `json:"entries"`
	Size     int64              `json:"bytes"`
	Duration int64              `json:"duration_us"`
	Skipped  string             `json:"skipped,omitempty"` // unsupported parts, counted
	Servers  []ServerInfo       `json:"servers,omitempty"` // from the handshakes, one per process
	Client   string             `json:"client,omitempty"`  // of a tap
	Counts   CountsInfo         `json:"counts"`
	Methods  []MethodInfo       `json:"methods"`
	Notified []NotifiedInfo     `json:"notifications"`
	Stray    []StrayInfo        `json:"stray,omitempty"` // the first ones; Counts has their number
	Unread   []UnreadInfo       `json:"unreadable,omitempty"`
	Checked  string             `json:"checked"`  // what the rules check
	RuleSet  string             `json:"rule_set"` // version of the rules
	Errors   int                `json:"finding_errors"`
	Warnings int                `json:"finding_warnings"`
	Infos    int                `json:"finding_infos"`
	Missed   int                `json:"findings_unread,omitempty"` // entries whose bytes could not be read
	Problems []problems.Problem `json:"findings"`

	groups     []diagnosis.Group // of Problems
	moreUnread int               // lines that Unread does not list
	damaged    bool              // the file has an unreadable line, or ends within one
}

// ServerInfo describes the server of a handshake.
type ServerInfo struct {
	Server   string `json:"server,omitempty"`
	Era      string `json:"era,omitempty"`
	Protocol string `json:"protocol,omitempty"`
}

// CountsInfo counts what was recorded.
type CountsInfo struct {
	Runs        int    `json:"runs"`
	Sent        uint64 `json:"sent"`
	SentBytes   uint64 `json:"sent_bytes"`
	Received    uint64 `json:"received"`
	Bytes       uint64 `json:"received_bytes"`
	Errors      uint64 `json:"errors"`
	Stray       uint64 `json:"stray"`
	StderrLines uint64 `json:"stderr_lines"`
	StderrBytes uint64 `json:"stderr_bytes"`
	Orphans     uint64 `json:"orphans"`
	Lagged      uint64 `json:"lagged"`
	Held        uint64 `json:"held"`
	Gaps        uint64 `json:"gaps"`
	LostBytes   uint64 `json:"lost_bytes"`
}

// MethodInfo summarizes the requests of a method in one direction. Times are microseconds,
// until the response or the cancellation; for the client's requests, the server's part.
type MethodInfo struct {
	Method     string `json:"method"`
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
}

// NotifiedInfo counts the notifications of a method in one direction.
type NotifiedInfo struct {
	Method string `json:"method"`
	From   string `json:"from"` // client or server
	Count  int    `json:"count"`
}

// StrayInfo is a stdout line that is not a message.
type StrayInfo struct {
	N    uint64 `json:"n"`
	Seq  uint64 `json:"seq,omitempty"`
	T    int64  `json:"t"`
	Text string `json:"text"` // its first bytes
	Size int64  `json:"bytes"`
}

const (
	// firstStray is how many stray lines are listed, and shownStray how much of each, in
	// bytes.
	firstStray = 5
	shownStray = 200
)

// Lines of a finished recording were skipped.
const damaged = "damaged"

// NewInfo summarizes a recording, which checker has checked.
func NewInfo(ctx context.Context, path string, rec *recordings.Recording, checker *rule.Checker) (*Info, error) {
	stats := rec.Stats()
	info := &Info{
		File: path, Header: rec.Header(), State: listedStates[session.RecordingDone], Entries: rec.Len(), Size: stats.Size, Skipped: rec.Warnings().String(),
		Counts: CountsInfo{
			Runs: stats.Runs, Sent: stats.Out, SentBytes: stats.BytesOut, Received: stats.In, Bytes: stats.BytesIn,
			Errors: stats.Errors, Stray: stats.Stray, StderrLines: stats.StderrLines, StderrBytes: stats.BytesErr,
			Orphans: stats.Unmatched, Lagged: stats.Lagged, Held: stats.Held, Gaps: stats.Gaps, LostBytes: stats.LostBytes,
		},
		Methods: []MethodInfo{}, Notified: []NotifiedInfo{}, Problems: []problems.Problem{},
	}
	switch {
	case rec.Live():
		info.State = listedStates[session.RecordingOn]
	case stats.Recording == session.RecordingShrunk:
		info.State = listedStates[session.RecordingTorn]
	case stats.Recording != session.RecordingDone:
		info.State = listedStates[stats.Recording]
	case rec.Warnings().Damaged():
		info.State = damaged
	}
	read := rec.Progress()
	info.damaged = rec.Warnings().Damaged() || !rec.Live() && read.Bytes < read.Size
	if stats.Recording == session.RecordingCut {
		info.Stopped = stats.RecordingError
	}
	info.readRows(ctx, rec)
	info.check(ctx, rec, checker)
	return info, context.Cause(ctx)
}

func (info *Info) readRows(ctx context.Context, src session.Source) {
	type key struct {
		method uint16
		kind   session.Kind
	}
	methods := map[key]*MethodInfo{}
	notified := map[key]int{}
	times := exchange.NewTable(src)
	batches := false
	var long longLine
	for number, row := range session.RowsFrom(src, 0) {
		if number%1024 == 0 && ctx.Err() != nil {
			break
		}
		info.Duration = row.T
		switch {
		case row.Kind == session.KindState:
			info.readState(src, row)
		case row.Kind == session.KindNote && info.Header.Mode == session.ModeTap && info.Client == "":
			info.Client = tap.ClientOf(src, row)
		}
		long.add(info, src, number, row)
		k := key{row.Method, row.Kind}
		switch {
		case filter.IsStray(row):
			info.readStray(src, row)
		case row.Msg == framing.Notification:
			notified[k]++
		}
		batches = batches || row.Msg == framing.Batch
		if row.Msg != framing.Request {
			continue
		}
		m := methods[k]
		if m == nil {
			m = &MethodInfo{Method: src.Method(row.Method), From: sender(row.Kind)}
			methods[k] = m
		}
		took, ended := times.TimesCancelled(number, row)
		if partner, ok := session.PartnerOf(src, row); ok && !ended {
			took = times.Times(number, row, partner)
		}
		m.add(row, took, ended)
	}
	for _, m := range methods {
		info.Methods = append(info.Methods, *m)
	}
	if batches {
		info.readBatches(ctx, src)
	}
	for i := range info.Methods {
		info.Methods[i].summarise()
	}
	slices.SortFunc(info.Methods, func(a, b MethodInfo) int {
		return cmp.Or(cmp.Compare(a.From, b.From), -cmp.Compare(a.Requests, b.Requests), cmp.Compare(a.Method, b.Method))
	})
	for k, n := range notified {
		info.Notified = append(info.Notified, NotifiedInfo{Method: src.Method(k.method), From: sender(k.kind), Count: n})
	}
	slices.SortFunc(info.Notified, func(a, b NotifiedInfo) int {
		return cmp.Or(cmp.Compare(a.From, b.From), -cmp.Compare(a.Count, b.Count), cmp.Compare(a.Method, b.Method))
	})
}

// readBatches counts the requests in batches, of which rows have only one summary.
func (info *Info) readBatches(ctx context.Context, src session.Source) {
	_ = match.Walk(ctx, src, func(it *match.Item) error { // unreadable entries are counted with the problems
		request, answers := it.At, it.Kind == match.ItemResponse && it.State == session.ReqNone
		if answers {
			request = it.Of
		}
		row, _ := session.RowAt(src, request.Row)
		if row.Msg != framing.Batch || it.Method == "" || !answers && it.Kind != match.ItemRequest {
			return nil
		}
		m := info.method(it.Method, sender(row.Kind))
		if !answers {
			m.Requests++
			m.Unanswered++
			return nil
		}
		m.Unanswered--
		m.took = append(m.took, it.At.T-request.T)
		if it.Msg.Kind == framing.ErrorResponse || isError(it.Msg.RawResult()) {
			m.Errors++
		}
		return nil
	})
}

const maxBatchMethods = 4096

// method adds the counts if needed.
func (info *Info) method(name, from string) *MethodInfo {
	of := func(name string) int {
		return slices.IndexFunc(info.Methods, func(m MethodInfo) bool { return m.Method == name && m.From == from })
	}
	i := of(name)
	if i < 0 && len(info.Methods) >= maxBatchMethods {
		name = "(other methods)"
		i = of(name)
	}
	if i < 0 {
		i = len(info.Methods)
		info.Methods = append(info.Methods, MethodInfo{Method: name, From: from})
	}
	return &info.Methods[i]
}

func isError(result []byte) bool {
	var r struct {
		IsError bool `json:"isError"`
	}
	return json.Unmarshal(result, &r) == nil && r.IsError
}

func sender(stream session.Kind) string {
	if stream == session.KindStdout {
		return "server"
	}
	return "client"
}

func (info *Info) readStray(src session.Source, row session.Row) {
	if len(info.Stray) == firstStray {
		return
	}
	e, err := src.Entry(row, shownStray)
	if err != nil {
		return // it is counted elsewhere
	}
	text := e.Payload[:min(len(e.Payload), shownStray)]
	info.Stray = append(info.Stray, StrayInfo{N: e.N, Seq: e.Seq, T: e.T, Text: string(text[:wording.Whole(text)]), Size: e.FullSize})
}

func (info *Info) readState(src session.Source, row session.Row) {
	var b session.StateBody
	e, err := src.Entry(row, 0)
	if err != nil || e.DecodeBody(&b) != nil || b.State != string(session.Ready) {
		return
	}
	if s := (ServerInfo{Server: b.Server, Era: b.Era, Protocol: b.Protocol}); !slices.Contains(info.Servers, s) {
		info.Servers = append(info.Servers, s)
	}
}

// took is the time to the response, if any, or until it was cancelled.
func (m *MethodInfo) add(row session.Row, took exchange.Times, cancelled bool) {
	m.Requests++
	if row.Flags&session.FlagError != 0 {
		m.Errors++
	}
	if row.State != session.ReqAnswered && row.State != session.ReqFailed {
		m.Unanswered++
		if !cancelled {
			return
		}
	}
	answering, waited := took.Answering(row.Kind)
	m.took = append(m.took, answering)
	m.Person += waited
}

// summarise computes the percentiles of the response times.
func (m *MethodInfo) summarise() {
	if len(m.took) == 0 {
		return
	}
	slices.Sort(m.took)
	at := func(percent int) *int64 { return &m.took[(len(m.took)*percent+99)/100-1] } // the nearest rank
	m.P50, m.P95, m.P99, m.Max = at(50), at(95), at(99), at(100)
}

func (info *Info) check(ctx context.Context, src session.Source, l *rule.Checker) {
	found := l.Count()
	info.RuleSet = rule.Set
	info.Checked, info.Errors, info.Warnings, info.Infos = l.Checked(), found.Errors, found.Warnings, found.Remarks
	_, info.Missed = l.Progress()
	all := l.Problems()
	info.groups = cause.Groups(ctx, src, all)
	info.Problems = problems.List(all, info.groups)
}
