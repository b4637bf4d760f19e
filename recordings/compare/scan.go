package compare

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"mcpdbg/recordings/match"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// maxLabels is how many different things that were asked are told apart; what
// comes after them shares one label.
const maxLabels = 1 << 16

// A label is what was asked: see Call.
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
	key       uint64  // hash of what it is matched by
	answer    uint64  // hash of the result or error as it is spelled
	last      float64 // what was told of progress last: see progressed
	row       uint32  // of the request
	answerRow uint32
	label     uint32
	took      uint32 // microseconds, cut at an hour or so
	member    uint32
	answerAt  uint32 // member of the answer's entry
	run       uint16
	state     session.ReqState
	flags     recordFlags
	again     uint8 // further answers, counted up to 255
}

type recordFlags uint8

const (
	answered recordFlags = 1 << iota
	failed
	handshake
	page // a further page of a list
	modern
	progressed // it was told of
	falls      // progress went back, or was no number
	probed     // the process had a probe before: its start is not in the time
)

// A side is one session, scanned.
type side struct {
	src       session.Source
	records   []record
	labels    []label
	numbers   map[label]uint32
	firsts    map[uint32]int   // where messages begin that several writes made up, by row
	pages     map[int][]int    // further pages by the record of the first
	notes     map[noteKind]int // how many
	processes map[int]string   // by run
	servers   []string
}

type place struct {
	row    int
	member int
}

// A scanner makes a side out of the items of a session.
type scanner struct {
	*side
	rules *match.Rules
	skip  func(match.Ref) bool
	open  map[place]int // records without an answer
	walks map[label]int // the list that is walked, by method
	key   []byte
	probe bool // the process was probed
}

// baseRules are about what clients send back as they got it.
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
			notes: map[noteKind]int{}, processes: map[int]string{},
		},
		rules: rules, skip: skip, open: map[place]int{}, walks: map[label]int{},
	}
	if err := match.Walk(ctx, src, s.item); err != nil {
		return nil, err
	}
	return s.side, nil
}

func (s *scanner) item(it *match.Item) error {
	switch it.Kind {
	case match.ItemStart:
		clear(s.open)
		clear(s.walks)
		s.probe = false
		s.start(it)
	case match.ItemRequest:
		s.request(it)
	case match.ItemAnswer:
		s.answer(it)
	case match.ItemNotification:
		s.notification(it)
	case match.ItemStray:
		s.notes[noteKind{method: strayLines}]++
	}
	return nil
}

// start notes the name of a process.
func (s *scanner) start(it *match.Item) {
	var row [1]session.Row
	var b session.StartBody
	if len(s.processes) >= 1<<12 || s.src.Rows(it.At.Row, row[:]) == 0 {
		return
	}
	if e, err := s.src.Entry(row[0], 0); err == nil && e.DecodeBody(&b) == nil {
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
		// Each process has one, in one of the eras. What a client says of itself in
		// it is not the server's doing.
		r.flags |= handshake
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
	r.key = match.Hash(s.key)
	number := len(s.records)
	s.list(it, &r, params, number)
	s.records = append(s.records, r)
	s.open[place{it.At.Row, it.At.Member}] = number
}

// list puts the pages of a list together.
func (s *scanner) list(it *match.Item, r *record, params []byte, number int) {
	if _, isList := listMember(it.Method); !isList || !it.FromClient {
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

// label numbers what was asked.
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

func (s *scanner) answer(it *match.Item) {
	at := place{it.Of.Row, it.Of.Member}
	if it.HasOf && it.State == session.ReqDuplicate {
		s.again(at)
		return
	}
	number, ok := s.open[at]
	if !ok || !it.HasOf || it.State != session.ReqNone {
		return
	}
	delete(s.open, at)
	r := &s.records[number]
	r.flags |= answered
	r.answerRow, r.answerAt = uint32(it.At.Row), uint32(it.At.Member)
	r.took = uint32(min(max(it.At.T-it.Of.T, 0), math.MaxUint32))
	value := it.Msg.RawResult()
	if e := it.Msg.RawError(); value == nil {
		r.flags |= failed
		value = e
	}
	r.answer = xxhash.Sum64(value)
	if it.At.First != it.At.Row {
		s.firsts[r.answerRow] = it.At.First
	}
	if r.flags&handshake != 0 {
		s.server(value)
	}
}

// server notes what a handshake told of the server.
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
	number, ok := s.open[place{it.Of.Row, it.Of.Member}]
	if !it.HasOf || !ok {
		return
	}
	s.records[number].tell(match.Member(it.Msg.RawParams(), "progress"))
}

// label is what a record asks.
func (s *side) labelOf(r *record) label { return s.labels[r.label] }

// request is where a record's request stands; answer where its answer does.
func (s *side) request(r *record) match.Ref {
	return s.ref(r.row, r.member)
}

func (s *side) answerTo(r *record) match.Ref {
	return s.ref(r.answerRow, r.answerAt)
}

func (s *side) ref(row, member uint32) match.Ref {
	at := match.Ref{Row: int(row), First: int(row), Member: int(member)}
	if first, ok := s.firsts[row]; ok {
		at.First = first
	}
	return at
}

// at tells where a record stands, for a report.
func (s *side) at(r *record) *Side {
	row := r.row
	if r.flags&answered != 0 {
		row = r.answerRow
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
func (s *side) entry(row uint32) (session.Entry, bool) {
	var rows [1]session.Row
	if s.src.Rows(int(row), rows[:]) == 0 {
		return session.Entry{}, false
	}
	e, err := s.src.Entry(rows[0], 64)
	return e, err == nil
}

// value reads the result or error of a record, made canonical.
func (s *side) value(r *record) ([]byte, error) {
	m, err := match.Read(s.src, s.answerTo(r), nil)
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

// params reads the params of a record's request, as AppendKey spells them.
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

// listMember is the member of a list's result that holds its items, and
// isList whether a method lists something.
func listMember(method string) (member string, isList bool) {
	for _, l := range mcp.Lists {
		if l.Method == method {
			return l.Member, true
		}
	}
	return "", false
}
