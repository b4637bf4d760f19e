package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/internal/smoke"
	"mcpdbg/recordings"
	"mcpdbg/recordings/match"
	"mcpdbg/session"
	"mcpdbg/session/lint"
	"mcpdbg/ui/filter"
)

// recordingInfo is what rec info says, and prints with --json.
type recordingInfo struct {
	File     string          `json:"file"`
	Header   session.Header  `json:"header"`
	State    string          `json:"state"`             // done, torn, stopped, live or parts missing, as in rec ls
	Stopped  string          `json:"stopped,omitempty"` // why its recorder could not write the rest
	Entries  int             `json:"entries"`
	Size     int64           `json:"bytes"`
	Duration int64           `json:"duration_us"`
	Skipped  string          `json:"skipped,omitempty"` // what was not understood
	Servers  []serverInfo    `json:"servers,omitempty"` // what the handshakes told, one a process
	Counts   countsInfo      `json:"counts"`
	Methods  []methodInfo    `json:"methods"`
	Notified []notifiedInfo  `json:"notifications"`
	Stray    []strayInfo     `json:"stray,omitempty"` // the first ones; Counts has how many there are
	Checked  string          `json:"checked"`         // by the rules that the findings are of
	Errors   int             `json:"finding_errors"`
	Warnings int             `json:"finding_warnings"`
	Infos    int             `json:"finding_infos"`
	Unread   int             `json:"findings_unread,omitempty"` // entries whose bytes could not be read
	Findings []smoke.Finding `json:"findings"`
}

type serverInfo struct {
	Server   string `json:"server,omitempty"`
	Era      string `json:"era,omitempty"`
	Protocol string `json:"protocol,omitempty"`
}

type countsInfo struct {
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

// methodInfo are the requests of one method in one direction. Times are
// microseconds; without an answer there are none.
type methodInfo struct {
	Method     string `json:"method"`
	From       string `json:"from"` // client or server
	Requests   int    `json:"requests"`
	Errors     int    `json:"errors"`     // error responses and results with isError
	Unanswered int    `json:"unanswered"` // cancelled, timed out, lost or still open
	P50        *int64 `json:"p50_us,omitempty"`
	P95        *int64 `json:"p95_us,omitempty"`
	P99        *int64 `json:"p99_us,omitempty"`
	Max        *int64 `json:"max_us,omitempty"`
	took       []int64
}

// notifiedInfo are the notifications of one method in one direction.
type notifiedInfo struct {
	Method string `json:"method"`
	From   string `json:"from"` // client or server
	Count  int    `json:"count"`
}

// strayInfo is a line of stdout that is no message.
type strayInfo struct {
	N    uint64 `json:"n"`
	Seq  uint64 `json:"seq,omitempty"`
	T    int64  `json:"t"`
	Text string `json:"text"` // its first bytes
	Size int64  `json:"bytes"`
}

const (
	// firstStray is how many stray lines are listed, and shownStray how much of
	// each, in bytes.
	firstStray = 5
	shownStray = 200
)

func newRecordingInfo(ctx context.Context, path string, rec *recordings.Recording) (*recordingInfo, error) {
	stats := rec.Stats()
	info := &recordingInfo{
		File: path, Header: rec.Header(), State: listedStates[session.RecordingDone], Entries: rec.Len(), Size: stats.Size, Skipped: rec.Warnings().String(),
		Counts: countsInfo{
			Runs: stats.Runs, Sent: stats.Out, SentBytes: stats.BytesOut, Received: stats.In, Bytes: stats.BytesIn,
			Errors: stats.Errors, Stray: stats.Stray, StderrLines: stats.StderrLines, StderrBytes: stats.BytesErr,
			Orphans: stats.Orphans, Lagged: stats.Lagged, Held: stats.Held, Gaps: stats.Gaps, LostBytes: stats.LostBytes,
		},
		Methods: []methodInfo{}, Notified: []notifiedInfo{}, Findings: []smoke.Finding{},
	}
	switch {
	case rec.Live():
		info.State = listedStates[session.RecordingOn]
	case stats.Recording == session.RecordingShrunk:
		info.State = listedStates[session.RecordingTorn]
	case stats.Recording != session.RecordingDone:
		info.State = listedStates[stats.Recording]
	}
	if stats.Recording == session.RecordingCut {
		info.Stopped = stats.RecordingError
	}
	info.readRows(ctx, rec)
	info.check(ctx, rec)
	return info, context.Cause(ctx)
}

// readRows goes once over all rows, unless ctx ends.
func (info *recordingInfo) readRows(ctx context.Context, src session.Source) {
	type key struct {
		method uint16
		kind   session.Kind
	}
	methods := map[key]*methodInfo{}
	notified := map[key]int{}
	batches := false
	rows := make([]session.Row, 1024)
	var partner [1]session.Row
	for from := 0; ctx.Err() == nil; {
		n := src.Rows(from, rows)
		if n == 0 {
			break
		}
		from += n
		for _, row := range rows[:n] {
			info.Duration = row.T
			if row.Kind == session.KindState {
				info.readState(src, row)
			}
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
				m = &methodInfo{Method: src.Method(row.Method), From: sender(row.Kind)}
				methods[k] = m
			}
			if row.Pair == 0 || src.Rows(int(row.Pair-1), partner[:]) == 0 {
				partner[0] = row
			}
			m.add(row, partner[0].T-row.T)
		}
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
	slices.SortFunc(info.Methods, func(a, b methodInfo) int {
		return cmp.Or(cmp.Compare(a.From, b.From), -cmp.Compare(a.Requests, b.Requests), cmp.Compare(a.Method, b.Method))
	})
	for k, n := range notified {
		info.Notified = append(info.Notified, notifiedInfo{Method: src.Method(k.method), From: sender(k.kind), Count: n})
	}
	slices.SortFunc(info.Notified, func(a, b notifiedInfo) int {
		return cmp.Or(cmp.Compare(a.From, b.From), -cmp.Compare(a.Count, b.Count), cmp.Compare(a.Method, b.Method))
	})
}

// readBatches adds the requests in batches, of which a row tells only together.
func (info *recordingInfo) readBatches(ctx context.Context, src session.Source) {
	var row [1]session.Row
	for step, err := range match.Exchanges(ctx, src) {
		if err != nil {
			return // what can't be read counts as unread with the findings
		}
		x := step.Exchange
		if x == nil || src.Rows(x.Request.Row, row[:]) == 0 || row[0].Msg != framing.Batch {
			continue
		}
		from := "server"
		if x.FromClient {
			from = "client"
		}
		info.method(x.Method, from).addExchange(x, x.Failed || failedTool(src, x))
	}
}

// maxBatchMethods is how many methods in batches are counted separately.
const maxBatchMethods = 4096

// method returns the counts of a method, which are there from then on.
func (info *recordingInfo) method(name, from string) *methodInfo {
	if len(info.Methods) >= maxBatchMethods {
		name = "(other methods)"
	}
	for i := range info.Methods {
		if m := &info.Methods[i]; m.Method == name && m.From == from {
			return m
		}
	}
	info.Methods = append(info.Methods, methodInfo{Method: name, From: from})
	return &info.Methods[len(info.Methods)-1]
}

// failedTool reports whether the answer to a request of a batch has isError.
func failedTool(src session.Source, x *match.Exchange) bool {
	var row [1]session.Row
	if !x.Answered || src.Rows(x.Answer.Row, row[:]) == 0 || row[0].Flags&session.FlagError == 0 {
		return false
	}
	m, err := match.Read(src, x.Answer, nil)
	var result struct {
		IsError bool `json:"isError"`
	}
	return err == nil && json.Unmarshal(m.RawResult(), &result) == nil && result.IsError
}

// sender says whose messages a stream carries.
func sender(stream session.Kind) string {
	if stream == session.KindStdout {
		return "server"
	}
	return "client"
}

// readStray takes the beginning of one of the first stray lines.
func (info *recordingInfo) readStray(src session.Source, row session.Row) {
	if len(info.Stray) == firstStray {
		return
	}
	e, err := src.Entry(row, shownStray)
	if err != nil {
		return // it is counted
	}
	text := e.Payload[:min(len(e.Payload), shownStray)]
	info.Stray = append(info.Stray, strayInfo{N: e.N, Seq: e.Seq, T: e.T, Text: string(text[:wholeCharacters(text)]), Size: e.FullSize})
}

// readState takes what a handshake told.
func (info *recordingInfo) readState(src session.Source, row session.Row) {
	var b session.StateBody
	e, err := src.Entry(row, 0)
	if err != nil || e.DecodeBody(&b) != nil || b.State != string(session.Ready) {
		return
	}
	if s := (serverInfo{Server: b.Server, Era: b.Era, Protocol: b.Protocol}); !slices.Contains(info.Servers, s) {
		info.Servers = append(info.Servers, s)
	}
}

// add counts a request, whose answer took so long if it has one.
func (m *methodInfo) add(row session.Row, took int64) {
	m.Requests++
	if row.Flags&session.FlagError != 0 {
		m.Errors++
	}
	if row.State != session.ReqAnswered && row.State != session.ReqFailed {
		m.Unanswered++
		return
	}
	m.took = append(m.took, took)
}

// addExchange counts one request of a batch.
func (m *methodInfo) addExchange(x *match.Exchange, failed bool) {
	m.Requests++
	if failed {
		m.Errors++
	}
	if !x.Answered {
		m.Unanswered++
		return
	}
	m.took = append(m.took, x.Took())
}

// summarise finds the times of the answers.
func (m *methodInfo) summarise() {
	if len(m.took) == 0 {
		return
	}
	slices.Sort(m.took)
	at := func(percent int) *int64 { return &m.took[(len(m.took)*percent+99)/100-1] } // the nearest rank
	m.P50, m.P95, m.P99, m.Max = at(50), at(95), at(99), at(100)
}

// check runs the linter over all of it, unless ctx ends.
func (info *recordingInfo) check(ctx context.Context, src session.Source) {
	l := lint.New(src)
	for more := true; more && ctx.Err() == nil; {
		more = l.Advance(ctx, math.MaxInt, math.MaxInt)
	}
	found := l.Count()
	info.Checked, info.Errors, info.Warnings, info.Infos = lint.Checked, found.Errors, found.Warnings, found.Remarks
	_, info.Unread = l.Looked()
	for _, f := range l.Findings() {
		info.Findings = append(info.Findings, smoke.FindingOf(f))
	}
}
