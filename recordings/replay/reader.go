package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"time"

	"mcpdbg/framing"
	"mcpdbg/recordings/match"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/session/mcp"
)

// writeLimit is how many bytes of a write are read while rows are scanned.
const writeLimit = 4 << 10

// A reader builds the items of a plan from a recording.
type reader struct {
	p             *Plan
	raw           []Item       // from scan, in order: items not in the plan yet
	byRow         map[int]int  // items by row, including the rows of further rounds
	open          map[int]bool // items without a response so far
	unsent        map[uint64]bool
	requestsByRow map[int]*serverRequest // server requests by row
	requestOrder  []*serverRequest
	table         *exchange.Table // which requests continue an exchange
	asks          map[int]int     // rows of the latest results that ask for input, by item
	handshakes    []uint64        // with Options.Onward: the handshake that is compared
}

func newReader(p *Plan) *reader {
	return &reader{
		p: p, byRow: map[int]int{}, open: map[int]bool{}, unsent: map[uint64]bool{}, requestsByRow: map[int]*serverRequest{},
		table: exchange.NewTable(p.src), asks: map[int]int{},
	}
}

// scan follows the rows: it finds the process to replay, input that is not a plain
// message, and input that was not delivered.
func (r *reader) scan(ctx context.Context) error {
	p := r.p
	p.run = p.opts.Run
	var starts []int
	for r.table.Next() {
		number, row := r.table.Row()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if row.Kind == session.KindStart {
			p.runs++
			starts = append(starts, number)
		}
		if p.run == 0 && r.counts(*row) {
			p.run = p.runs
		}
		if p.covers(p.runs) {
			if err := r.row(number, *row); err != nil {
				return err
			}
		}
		p.end = number + 1
	}
	switch {
	case p.run == 0:
		p.run = min(p.runs, 1)
	case p.run > p.runs:
		return fmt.Errorf("replay: the recording has no process %d, it has %d", p.run, p.runs)
	}
	if p.run > 0 {
		p.first = starts[p.run-1]
	}
	if p.run < p.runs && !p.opts.FollowingRuns {
		p.end = starts[p.run]
	}
	return nil
}

// counts reports whether a row is something to send.
func (r *reader) counts(row session.Row) bool {
	if row.Kind != session.KindStdin {
		return false
	}
	if match.IsRaw(row) {
		return true
	}
	switch r.p.src.Method(row.Method) {
	case mcp.MethodInitialize, mcp.MethodInitialized, mcp.MethodDiscover, mcp.MethodPing:
		return false
	}
	return row.Msg == framing.Request || row.Msg == framing.Notification
}

func (r *reader) row(number int, row session.Row) error {
	raw := row.Kind == session.KindStdin && match.IsRaw(row)
	if !raw && row.Kind != session.KindWrite {
		return nil
	}
	e, err := r.p.src.Entry(row, writeLimit)
	if err != nil {
		return err
	}
	if raw {
		r.raw = append(r.raw, Item{Kind: Raw, N: e.N, T: row.T, row: number})
		return nil
	}
	var b session.WriteBody
	if e.DecodeBody(&b) == nil && b.Of > 0 {
		r.unsent[b.Of] = true
	}
	return nil
}

// flush adds the raw items up to a row to the plan.
func (r *reader) flush(row int) {
	for len(r.raw) > 0 && r.raw[0].row <= row {
		r.add(r.raw[0])
		r.raw = r.raw[1:]
	}
}

func (r *reader) add(item Item) int {
	if r.unsent[item.N] {
		item.Skip = skipUnsent
	}
	number := len(r.p.items)
	r.byRow[item.row] = number
	r.p.items = append(r.p.items, item)
	return number
}

func (r *reader) item(it *match.Item) error {
	if !r.p.covers(it.Run) {
		return nil
	}
	switch {
	case it.Kind == match.ItemStart:
		clear(r.open)
	case it.Kind == match.ItemRequest && it.FromClient:
		return r.request(it)
	case it.Kind == match.ItemRequest:
		r.asked(it)
	case it.Kind == match.ItemNotification && it.FromClient:
		return r.notification(it)
	case it.Kind == match.ItemResponse && it.FromClient:
		return r.response(it)
	case it.Kind == match.ItemResponse:
		r.answered(it)
	}
	return nil
}

func (r *reader) request(it *match.Item) error {
	params := it.Msg.RawParams()
	if c, ok := match.ClientOf(it); ok && (r.p.client.Era == mcp.Auto || it.Method == mcp.MethodInitialize) {
		r.p.client = c
	}
	if it.Handshake {
		r.p.handshake = append(r.p.handshake, it.At.N)
	}
	if it.Handshake && r.p.opts.FollowingRuns {
		r.handshake(it)
		return nil
	}
	if !it.Handshake {
		r.flush(it.At.Row)
		if number, raw := r.byRow[it.At.Row]; raw { // a ping in a batch is sent with it
			r.addToRaw(number, it, params)
			return nil
		}
	}
	if it.Handshake || it.Method == mcp.MethodPing {
		if it.Method == mcp.MethodPing || len(r.p.items) > 0 {
			r.p.leftOut = append(r.p.leftOut, it.At.N)
		}
		return nil
	}
	if _, isList := mcp.ListOf(it.Method); isList && r.p.opts.Lists {
		r.p.list(it, params)
		return nil
	}
	if !plain(it, params) {
		r.addToRaw(r.add(Item{Kind: Raw, N: it.At.N, T: it.At.T, row: it.At.Row}), it, params)
		return nil
	}
	if r.continues(it, params) {
		return nil
	}
	item := newItem(Request, it)
	item.Tool, item.uri = toolOf(it.Method, params), uriOf(it.Method, params)
	item.bare = it.Era == mcp.Modern && match.Member(match.Member(params, "_meta"), mcp.MetaProtocolVersion) == nil
	item.progress = match.Member(match.Member(params, "_meta"), "progressToken") != nil
	if r.p.opts.Latest > 0 {
		item.key = match.Hash(r.p.key(it.Method, params))
	}
	item.awaited = it.State != session.ReqCancelled && it.Method != mcp.MethodListen
	number := r.add(item)
	r.open[number] = true
	return nil
}

func newItem(kind Kind, it *match.Item) Item {
	return Item{Kind: kind, Method: it.Method, N: it.At.N, T: it.At.T, row: it.At.Row}
}

// addToRaw records a request inside a raw item.
func (r *reader) addToRaw(number int, it *match.Item, params []byte) {
	r.p.items[number].Method = it.Method
	r.open[number] = true
	if it.Method != mcp.MethodToolsCall {
		return
	}
	for row := it.At.First; row <= it.At.Row; row++ { // a part of a line is not sent, either
		if part, ok := r.byRow[row]; ok {
			r.p.items[part].tools = append(r.p.items[part].tools, match.Subject(it.Method, params))
		}
	}
}

func toolOf(method string, params []byte) string {
	if method != mcp.MethodToolsCall {
		return ""
	}
	return match.Subject(method, params)
}

// plain reports whether the session can send an equivalent request: its id may be
// replaced, and its params are an object.
func plain(it *match.Item, params []byte) bool {
	id := it.Msg.RawID()
	return len(id) > 0 && bytes.IndexByte([]byte(`"-0123456789`), id[0]) >= 0 && string(it.Msg.JSONRPC.Of(it.Msg.Line)) == `"2.0"` &&
		(len(params) == 0 || params[0] == '{' && readable(params))
}

func (r *reader) notification(it *match.Item) error {
	r.flush(it.At.Row)
	if _, raw := r.byRow[it.At.Row]; raw || it.Handshake {
		return nil
	}
	item := newItem(Notification, it)
	switch it.Method {
	case mcp.MethodCancelled:
		of, known := r.byRow[it.Of.Row]
		if !it.HasOf || !known || r.p.items[of].Kind != Request {
			item.Skip = skipCancel
		} else {
			item.cancels = of + 1
		}
	case mcp.MethodProgress:
		q := r.requestsByRow[it.Of.Row]
		if !it.HasOf || q == nil || q.response != nil {
			item.Skip = skipProgress
		} else {
			item.reports = slices.Index(r.requestOrder, q) + 1
		}
	}
	r.add(item)
	return nil
}

func (r *reader) response(it *match.Item) error {
	r.flush(it.At.Row)
	if _, raw := r.byRow[it.At.Row]; raw || it.Method == mcp.MethodPing {
		return nil
	}
	q := r.requestsByRow[it.Of.Row]
	if !it.HasOf || it.State != session.ReqNone || q == nil || q.response != nil {
		r.add(newItem(Raw, it)) // a response without a request
		return nil
	}
	q.row, q.took = it.At.Row, time.Duration(it.At.T-it.Of.T)*time.Microsecond
	q.response = bytes.Clone(it.Msg.RawResult())
	if it.Msg.Kind == framing.ErrorResponse {
		q.response = fmt.Appendf(nil, `{"error":%s}`, it.Msg.RawError())
	}
	return nil
}

func (r *reader) asked(it *match.Item) {
	if it.Method == mcp.MethodPing {
		return
	}
	q := &serverRequest{n: it.At.N, key: r.p.key(it.Method, it.Msg.RawParams())}
	q.token = bytes.Clone(match.Member(match.Member(it.Msg.RawParams(), "_meta"), "progressToken"))
	for item := range r.open {
		q.during = append(q.during, item)
	}
	slices.Sort(q.during)
	r.requestsByRow[it.At.Row] = q
	r.requestOrder = append(r.requestOrder, q)
}

func (r *reader) answered(it *match.Item) {
	of, known := r.byRow[it.Of.Row]
	if !it.HasOf || !known || it.State != session.ReqNone {
		return
	}
	delete(r.open, of)
	row, _ := session.RowAt(r.p.src, it.At.Row)
	if all := r.p.others[it.At.Row]; row.Flags&session.FlagBatch != 0 && (len(all) == 0 || all[len(all)-1] != of) {
		r.p.others[it.At.Row] = append(all, of)
	}
	item := &r.p.items[of]
	item.Answered, item.response = true, it.At.Row
	item.Took = time.Duration(it.At.T-item.T) * time.Microsecond
	result := it.Msg.RawResult()
	if it.Method == mcp.MethodToolsList {
		eachHint(result, func(tool string, readOnly bool) { r.p.tools[tool] = readOnly })
	}
	if bytes.Contains(result, []byte(`"inputRequests"`)) {
		r.asks[of] = it.At.Row
	}
}

// eachHint calls yield for the tools of a tools/list result.
func eachHint(result []byte, yield func(tool string, readOnly bool)) {
	var list struct {
		Tools []struct {
			Name        string `json:"name"`
			Annotations struct {
				ReadOnly bool `json:"readOnlyHint"`
			} `json:"annotations"`
		} `json:"tools"`
	}
	if json.Unmarshal(result, &list) != nil {
		return
	}
	for _, t := range list.Tools {
		yield(t.Name, t.Annotations.ReadOnly)
	}
}

func (r *reader) finish(ctx context.Context) error {
	p := r.p
	r.flush(math.MaxInt)
	for i := range p.items {
		if p.items[i].response > 0 {
			p.responses = append(p.responses, i)
		}
	}
	sort.Slice(p.responses, func(i, j int) bool { return p.items[p.responses[i]].response < p.items[p.responses[j]].response })
	for _, q := range r.requestOrder {
		p.serverRequests = append(p.serverRequests, *q)
	}
	return r.trace(ctx)
}
