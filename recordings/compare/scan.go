package compare

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"mcpdbg/recordings/match"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/session/mcp"
	"mcpdbg/session/summary"
)

// maxLabels is the most labels that are kept; requests beyond that share one.
const maxLabels = 1 << 16

// A label is the method, subject and sender of a request: see Call.
type label struct {
	method, subject string
	fromClient      bool
}

func (l label) from() string {
	if l.fromClient {
		return "client"
	}
	return "server"
}

// A record is an exchange as a comparison needs it, in 56 bytes.
type record struct {
	key            uint64  // hash of the match key
	response       uint64  // hash of the raw result or error
	last           float64 // the last progress: see progressed
	row            uint32  // of the request
	responseRow    uint32
	label          uint32
	took           uint32 // microseconds, limited to about an hour; see side.serverTime
	member         uint32
	responseMember uint32 // index of the response in its entry
	run            uint16
	state          session.ReqState
	flags          recordFlags
	duplicates     uint8 // duplicate responses, counted up to 255
}

type recordFlags uint16

const (
	answered recordFlags = 1 << iota
	failed
	handshake
	page // a further page of a list
	modern
	progressed // has progress notifications
	falls      // progress decreased or was not a number
	probed     // after a probe: the time does not include the server's start
	redacted   // the params have redacted text
	task       // goes on as a task after the response
)

// A side is one session, scanned.
type side struct {
	src       session.Source
	shaken    bool // there is a handshake
	records   []record
	labels    []label
	numbers   map[label]uint32
	firsts    map[uint32]int   // first rows of messages made up of several writes, by row
	pages     map[int][]int    // further pages by the record of the first
	notes     map[noteKind]int // how many
	processes map[int]string   // by run
	servers   []string
	person    map[int]uint32 // what a server waited for its client, in microseconds, by record
}

// A scanner builds a side from the items of a session.
type scanner struct {
	*side
	rules *match.Rules
	skip  func(match.Ref) bool
	times *exchange.Table
	walks map[label]int // the first page of the current list, by method
	key   []byte
	probe bool // the process was probed
}

// baseRules adds rules for values that clients send back unchanged.
func baseRules(rules *match.Rules) *match.Rules {
	all := &match.Rules{}
	for _, name := range []string{"cursor", "requestState", "taskId"} {
		all.Add(match.Rule{Action: match.ActionMask, Pointer: match.PointerTo("params", name), Type: match.TypeAny})
	}
	if rules != nil {
		all.List = append(all.List, rules.List...)
	}
	return all
}

func scan(ctx context.Context, src session.Source, rules *match.Rules, skip func(match.Ref) bool) (*side, error) {
	s := scanner{
		side: &side{
			src: src, numbers: map[label]uint32{}, firsts: map[uint32]int{}, pages: map[int][]int{},
			notes: map[noteKind]int{}, processes: map[int]string{}, person: map[int]uint32{},
		},
		times: exchange.NewTable(src), rules: rules, skip: skip, walks: map[label]int{},
	}
	if err := match.Walk(ctx, src, s.item); err != nil {
		return nil, err
	}
	return s.side, nil
}

func (s *scanner) item(it *match.Item) error {
	switch it.Kind {
	case match.ItemStart:
		clear(s.walks)
		s.probe = false
		s.start(it)
	case match.ItemRequest:
		s.request(it)
	case match.ItemResponse:
		s.response(it)
	case match.ItemNotification:
		s.notification(it)
	case match.ItemStray:
		s.notes[noteKind{method: strayLines}]++
	}
	return nil
}

func (s *scanner) start(it *match.Item) {
	row, ok := session.RowAt(s.src, it.At.Row)
	if len(s.processes) >= 1<<12 || !ok {
		return
	}
	var b session.StartBody
	if e, err := s.src.Entry(row, 0); err == nil && e.DecodeBody(&b) == nil {
		s.processes[it.Run] = b.Process
	}
}

func (s *scanner) request(it *match.Item) {
	s.probe = s.probe || it.Probe
	if it.Probe || s.skip != nil && s.skip(it.At) {
		return
	}
	params := it.Msg.RawParams()
	r := record{
		row: uint32(it.At.Row), member: uint32(it.At.Member), run: uint16(it.Run), state: it.State,
		label: s.label(label{it.Method, match.Subject(it.Method, params), it.FromClient}),
	}
	if it.At.First != it.At.Row {
		s.firsts[r.row] = it.At.First
	}
	method := it.Method
	if it.Handshake {
		// Each process has a handshake, in one of the eras. The client's information in
		// it does not depend on the server.
		r.flags |= handshake
		s.shaken = true
		if s.probe {
			r.flags |= probed
		}
		method, params = "", nil
	}
	if it.Era == mcp.Modern {
		r.flags |= modern
	}
	s.key, _ = match.AppendKey(s.key[:0], method, params, s.rules)
	s.key = strconv.AppendBool(s.key, it.FromClient)
	s.key = strconv.AppendBool(s.key, it.Handshake)
	if r.key = match.Hash(s.key); match.HasRedacted(s.key) {
		r.flags |= redacted
	}
	number := len(s.records)
	s.list(it, &r, params, number)
	s.records = append(s.records, r)
}

func (s *scanner) list(it *match.Item, r *record, params []byte, number int) {
	if _, isList := mcp.ListOf(it.Method); !isList || !it.FromClient {
		return
	}
	l := label{method: it.Method}
	first, walking := s.walks[l]
	if cursor := match.Member(params, "cursor"); cursor == nil || !walking {
		s.walks[l] = number
		return
	}
	r.flags |= page
	s.pages[first] = append(s.pages[first], number)
}

func (s *scanner) label(l label) uint32 {
	n, ok := s.numbers[l]
	if !ok && len(s.labels) == maxLabels {
		l = label{method: "(others)", fromClient: l.fromClient}
		n, ok = s.numbers[l]
	}
	if !ok {
		n = uint32(len(s.labels))
		s.labels = append(s.labels, l)
		s.numbers[l] = n
	}
	return n
}

func (s *scanner) response(it *match.Item) {
	number, ok := s.recordOf(it)
	if !ok {
		return
	}
	r := &s.records[number]
	if it.State == session.ReqDuplicate && r.duplicates < math.MaxUint8 {
		r.duplicates++
	}
	if it.State != session.ReqNone || r.flags&answered != 0 {
		return
	}
	r.flags |= answered
	r.responseRow, r.responseMember = uint32(it.At.Row), uint32(it.At.Member)
	r.took = limited(it.At.T - it.Of.T)
	if s.labelOf(r).fromClient {
		if person := s.times.Between(it.Of.Row, it.At.Row, exchange.Span{From: it.Of.T, To: it.At.T}).Person; person > 0 {
			s.person[number] = limited(person)
		}
	}
	value := it.Msg.RawResult()
	if e := it.Msg.RawError(); value == nil {
		r.flags |= failed
		value = e
	}
	r.response = xxhash.Sum64(value)
	if summary.TaskOf(it.Msg.Line) != nil {
		r.flags |= task
	}
	if it.At.First != it.At.Row {
		s.firsts[r.responseRow] = it.At.First
	}
	if r.flags&handshake != 0 {
		s.server(value)
	}
}

// recordOf returns the record of the request that an item belongs to. Records have the order
// of their requests.
func (s *scanner) recordOf(it *match.Item) (number int, ok bool) {
	if !it.HasOf {
		return 0, false
	}
	return slices.BinarySearchFunc(s.records, it.Of, func(r record, of match.Ref) int {
		return cmp.Or(cmp.Compare(int(r.row), of.Row), cmp.Compare(int(r.member), of.Member))
	})
}

// limited returns a time as records keep it.
func limited(us int64) uint32 { return uint32(min(max(us, 0), math.MaxUint32)) }

// serverTime returns the part of a record's time that was the server's; of a request
// of the server, all of its time.
func (s *side) serverTime(record int) uint32 {
	return s.records[record].took - min(s.person[record], s.records[record].took)
}

// server records the server information of a handshake.
func (s *side) server(result []byte) {
	info := match.Member(result, "serverInfo")
	if info == nil {
		info = match.Member(match.Member(result, "_meta"), mcp.MetaServerInfo)
	}
	name, _ := match.Text(match.Member(info, "name"))
	version, _ := match.Text(match.Member(info, "version"))
	if name != "" && len(s.servers) < 16 {
		s.servers = append(s.servers, fmt.Sprintf("%.80s %.40s", name, version))
	}
}

func (s *scanner) notification(it *match.Item) {
	if it.FromClient {
		return
	}
	if it.Method != mcp.MethodProgress {
		s.note(it)
		return
	}
	number, ok := s.recordOf(it)
	if !ok || s.records[number].flags&(answered|task) == answered {
		return
	}
	s.records[number].tell(match.Member(it.Msg.RawParams(), "progress"))
}

func (s *side) labelOf(r *record) label { return s.labels[r.label] }

// request returns the position of a record's request, and responseTo of its response.
func (s *side) request(r *record) match.Ref {
	return s.ref(r.row, r.member)
}

func (s *side) responseTo(r *record) match.Ref {
	return s.ref(r.responseRow, r.responseMember)
}

func (s *side) ref(row, member uint32) match.Ref {
	at := match.Ref{Row: int(row), First: int(row), Member: int(member)}
	if first, ok := s.firsts[row]; ok {
		at.First = first
	}
	return at
}

// at returns the position of a record for a report.
func (s *side) at(r *record) *Side {
	row := r.row
	if r.flags&answered != 0 {
		row = r.responseRow
	}
	out := &Side{Run: int(r.run), Process: s.processes[int(r.run)], Row: int(row)}
	if e, ok := s.entry(row); ok {
		out.N, out.Seq, out.T = e.N, e.Seq, e.T
	}
	out.Request = out.N
	if row != r.row {
		if e, ok := s.entry(r.row); ok {
			out.Request = e.N
		}
	}
	return out
}

// entry reads the beginning of an entry: enough for its numbers.
func (s *side) entry(number uint32) (session.Entry, bool) {
	row, ok := session.RowAt(s.src, int(number))
	if !ok {
		return session.Entry{}, false
	}
	e, err := s.src.Entry(row, 64)
	return e, err == nil
}

// arguments returns a summary of the params of a record's request.
func (s *side) arguments(r *record) string {
	method := s.labelOf(r).method
	at := s.request(r)
	if row, ok := session.RowAt(s.src, at.Row); ok && !match.IsRaw(row) {
		if e, err := s.src.Entry(row, summary.Limit); err == nil {
			return summary.Request(method, e.Payload)
		}
		return ""
	}
	m, err := match.Read(s.src, at, nil)
	if err != nil {
		return ""
	}
	return summary.Request(method, m.Line)
}

// value reads the canonical result or error of a record.
func (s *side) value(r *record) ([]byte, error) {
	m, err := match.Read(s.src, s.responseTo(r), nil)
	if err != nil {
		return nil, err
	}
	raw := m.RawResult()
	if raw == nil {
		raw = m.RawError()
	}
	canonical, err := match.AppendCanonical(nil, raw)
	if err != nil {
		return match.AppendText(nil, string(raw)), nil // compared as a text
	}
	return canonical, nil
}

// params reads the params of a record's request in the form of AppendKey.
func (s *side) params(r *record, rules *match.Rules) ([]byte, error) {
	m, err := match.Read(s.src, s.request(r), nil)
	if err != nil {
		return nil, err
	}
	key, err := match.AppendKey(nil, s.labelOf(r).method, m.RawParams(), rules)
	_, params, _ := bytes.Cut(key, []byte{'\n'})
	if err != nil {
		return match.AppendText(nil, string(params)), nil
	}
	return params, nil
}
