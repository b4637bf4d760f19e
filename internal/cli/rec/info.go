package rec

import (
	"cmp"
	"context"
	"sort"

	"mcpdbg/framing"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
	"mcpdbg/recordings/digest"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/cause"
	"mcpdbg/session/diagnosis/rule"
	"mcpdbg/session/tap"
)

// Info is the document of rec info --json.
type Info struct {
	File     string           `json:"file"`
	Header   session.Header   `json:"header"`
	State    string           `json:"state"`             // as in rec ls, or damaged
	Stopped  string           `json:"stopped,omitempty"` // why its recorder could not write the rest
	Entries  int              `json:"entries"`
	Size     int64            `json:"bytes"`
	Duration int64            `json:"duration_us"`       // 0 if Untimed
	Untimed  bool             `json:"untimed,omitempty"` // all entries have the same time
	Skipped  string           `json:"skipped,omitempty"` // unsupported parts, counted
	Servers  []digest.Peer    `json:"servers,omitempty"` // from the handshakes
	Client   string           `json:"client,omitempty"`
	Counts   CountsInfo       `json:"counts"`
	Methods  []digest.Line    `json:"methods"`
	Tools    []digest.Line    `json:"tools,omitempty"`
	Failures []digest.Failure `json:"failures,omitempty"`      // by message
	MoreFail int              `json:"more_failures,omitempty"` // with further messages
	Open     []digest.Call    `json:"unanswered,omitempty"`
	MoreOpen int              `json:"more_unanswered,omitempty"`
	Slowest  []digest.Call    `json:"slowest,omitempty"`
	Slower   []digest.Slowing `json:"slower,omitempty"`
	Causes   []digest.Cause   `json:"causes,omitempty"` // the likeliest first
	Notified []NotifiedInfo   `json:"notifications"`
	Stray    []StrayInfo      `json:"stray,omitempty"` // the first ones; Counts has their number
	Unread   []UnreadInfo     `json:"unreadable,omitempty"`
	Checked  string           `json:"checked"`  // what the rules check
	RuleSet  string           `json:"rule_set"` // version of the rules
	Errors   int              `json:"finding_errors"`
	Warnings int              `json:"finding_warnings"`
	Infos    int              `json:"finding_infos"`
	Missed   int              `json:"findings_unread,omitempty"` // entries whose bytes could not be read
	Problems []verify.Problem `json:"findings"`

	lines      []digest.Line     // Methods, with Tools in place of tools/call
	failed     int               // calls
	groups     []diagnosis.Group // of Problems
	moreUnread int               // lines that Unread does not list
	damaged    bool              // the file has an unreadable line, or ends within one
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

// NewInfo summarizes a recording of which all rows have been read, without the problems
// that Check adds.
func NewInfo(ctx context.Context, path string, rec *recordings.Recording) *Info {
	stats := rec.Stats()
	info := &Info{
		File: path, Header: rec.Header(), State: listedStates[session.RecordingDone], Entries: rec.Len(), Size: stats.Size, Skipped: rec.Warnings().String(),
		Counts: CountsInfo{
			Runs: stats.Runs, Sent: stats.Out, SentBytes: stats.BytesOut, Received: stats.In, Bytes: stats.BytesIn,
			Errors: stats.Errors, Stray: stats.Stray, StderrLines: stats.StderrLines, StderrBytes: stats.BytesErr,
			Orphans: stats.Unmatched, Lagged: stats.Lagged, Held: stats.Held, Gaps: stats.Gaps, LostBytes: stats.LostBytes,
		},
		Methods: []digest.Line{}, Notified: []NotifiedInfo{}, Problems: []verify.Problem{},
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
	info.readCalls(ctx, rec)
	return info
}

func (info *Info) readRows(ctx context.Context, src session.Source) {
	type key struct {
		method uint16
		kind   session.Kind
	}
	notified := map[key]int{}
	var long longLine
	var peers digest.Peers
	parts := session.NewLineParts(src)
	for number, row := range session.RowsFrom(src, 0) {
		if number%1024 == 0 && ctx.Err() != nil {
			break
		}
		info.Duration = row.T
		if row.Kind == session.KindNote && info.Header.Mode == session.ModeTap && info.Client == "" {
			info.Client = tap.ClientOf(src, row)
		}
		peers.Add(src, row)
		long.add(info, src, number, row)
		switch {
		case row.IsStray():
			info.readStray(src, parts, number, row)
		case row.Msg == framing.Notification:
			notified[key{row.Method, row.Kind}]++
		}
	}
	peers.End()
	info.Servers, info.Client = peers.Servers, cmp.Or(info.Client, peers.Client)
	for k, n := range notified {
		info.Notified = append(info.Notified, NotifiedInfo{Method: src.Method(k.method), From: sender(k.kind), Count: n})
	}
	sort.Slice(info.Notified, func(i, j int) bool {
		a, b := &info.Notified[i], &info.Notified[j]
		return cmp.Or(cmp.Compare(a.From, b.From), -cmp.Compare(a.Count, b.Count), cmp.Compare(a.Method, b.Method)) < 0
	})
}

// readCalls takes what was requested, what failed, and why.
func (info *Info) readCalls(ctx context.Context, src session.Source) {
	d := digest.Read(ctx, src)
	info.Methods = append(info.Methods, d.ByMethod()...)
	for _, line := range d.Lines {
		if line.Tool != "" {
			info.Tools = append(info.Tools, line)
		}
	}
	info.Failures, info.MoreFail = d.Failures.Groups, d.Failures.More
	info.Open, info.MoreOpen, info.Slowest = d.Unanswered, d.MoreUnanswered, d.Slowest
	info.Slower, info.lines, info.failed, info.Untimed = d.Slower, d.Lines, d.Failures.Count(), d.Untimed
	if d.Untimed {
		info.Duration = 0
	}
	info.Causes = d.Causes(src, cause.Find(ctx, src))
}

func sender(stream session.Kind) string {
	if stream == session.KindStdout {
		return "server"
	}
	return "client"
}

// readStray lists a line, of a line in parts only the first one.
func (info *Info) readStray(src session.Source, parts *session.LineParts, number int, row session.Row) {
	if len(info.Stray) == firstStray {
		return
	}
	part, ok := parts.Of(number, row)
	if ok && part.Number > 1 {
		return
	}
	e, err := src.Entry(row, shownStray)
	if err != nil {
		return // it is counted elsewhere
	}
	if ok {
		e.FullSize = part.Size
	}
	text := e.Payload[:min(len(e.Payload), shownStray)]
	info.Stray = append(info.Stray, StrayInfo{N: e.N, Seq: e.Seq, T: e.T, Text: string(text[:wording.Whole(text)]), Size: e.FullSize})
}

// Check adds what a checker has found in the recording.
func (info *Info) Check(ctx context.Context, src session.Source, l *rule.Checker) {
	found := l.Count()
	info.RuleSet = rule.Set
	info.Checked, info.Errors, info.Warnings, info.Infos = l.Checked(), found.Errors, found.Warnings, found.Remarks
	_, info.Missed = l.Progress()
	all := l.Problems()
	info.groups = cause.Groups(ctx, src, all)
	info.Problems = verify.List(all, info.groups)
}
