package index

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

const (
	// settledTokens is how many of the latest progress tokens are known, also those of
	// requests that have ended.
	settledTokens = 256
	// maxTokens is how many tokens are known in all when the table is tidied.
	maxTokens = maxPending
	maxSlots  = 8 * maxTokens
	// maxJumps is how many places are known where the numbers of entries jump.
	maxJumps = 1 << 12
)

// tokens are the progress tokens of requests: those that may still get progress, and
// the latest others.
type tokens struct {
	order []token  // oldest first; a token that was used again more than once
	slots []uint32 // hash table of places in order plus one, at least twice as many
}

// A token is a progress token by its hash, and the row of its request.
type token struct {
	hash uint64
	row  uint32
}

func (t *tokens) forget() {
	clear(t.slots)
	t.order = t.order[:0]
}

// slot returns where the latest token with a hash is in slots, or belongs.
func (t *tokens) slot(hash uint64) int {
	mask := len(t.slots) - 1
	i := int(hash) & mask
	for t.slots[i] != 0 && t.order[t.slots[i]-1].hash != hash {
		i = (i + 1) & mask
	}
	return i
}

func (t *tokens) add(token token) {
	t.order = append(t.order, token)
	t.slots[t.slot(token.hash)] = uint32(len(t.order))
}

// request adds the token in the params of a request, if there is one.
func (t *tokens) request(outgoing bool, params []byte, row uint32, x *Index) {
	raw := progressToken(params, `{"_meta":{"progressToken":`, "_meta")
	if raw == nil {
		return
	}
	if 2*len(t.order) >= len(t.slots) {
		t.tidy(x)
	}
	t.add(token{tokenHash(outgoing, raw), row})
}

// owner returns the row plus one of the request with the token in the params of a
// progress notification, 0 if none is known.
func (t *tokens) owner(outgoing bool, params []byte) uint32 {
	if len(t.order) == 0 {
		return 0
	}
	raw := progressToken(params, `{"progressToken":`, "")
	if raw == nil {
		return 0
	}
	if found := t.slots[t.slot(tokenHash(outgoing, raw))]; found != 0 {
		return t.order[found-1].row + 1
	}
	return 0
}

// tidy drops the older tokens of requests that get no more progress, and makes room for
// at least as many as are left.
func (t *tokens) tidy(x *Index) {
	latest := len(t.order) - settledTokens
	var kept []token
	for i, token := range t.order {
		used := int(t.slots[t.slot(token.hash)]) != i+1 // by a later request
		if !used && (i >= latest || len(t.order)-i <= maxTokens && x.goesOnAt(token.row)) {
			kept = append(kept, token)
		}
	}
	t.rebuild(kept)
}

func (t *tokens) rebuild(kept []token) {
	size := 4 * settledTokens
	for size < 4*len(kept) {
		size *= 2
	}
	t.order, t.slots = t.order[:0], make([]uint32, size)
	for _, token := range kept {
		t.add(token)
	}
}

// goesOnAt reports whether a request may still get progress: it has no response so
// far, or one that says that it goes on as a task.
func (x *Index) goesOnAt(number uint32) bool {
	request, _ := x.row(int(number))
	at, answered := request.Partner()
	if !answered {
		return request.State != session.ReqLost
	}
	response, _ := x.row(at)
	return response.State == session.ReqTask
}

func (t *tokens) save(w *stateWriter) {
	w.int(len(t.order))
	for _, token := range t.order {
		*w = binary.LittleEndian.AppendUint64(*w, token.hash)
		w.int(int(token.row))
	}
	w.int(len(t.slots))
}

func (t *tokens) check(r *stateReader, rows int) {
	n := r.int(maxSlots / 2)
	for range n {
		r.take(8)
		r.int(rows - 1)
	}
	size := r.int(maxSlots)
	r.bad = r.bad || size < 2*n || size&(size-1) != 0
}

func (t *tokens) restore(r *stateReader) {
	all := make([]token, r.int(maxSlots/2))
	for i := range all {
		all[i] = token{binary.LittleEndian.Uint64(r.take(8)), uint32(r.int(maxIndexRows - 1))}
	}
	t.slots = make([]uint32, r.int(maxSlots))
	for _, token := range all {
		t.add(token)
	}
}

// progressToken returns the raw progress token in the params of a message, or in the
// object that is the member in of them; nil if there is none, or if it is neither a
// string nor a number. Almost all params with a token begin with begin: then they are
// not read as a whole.
func progressToken(params []byte, begin, in string) []byte {
	if len(params) > len(begin) && string(params[:len(begin)]) == begin {
		if token := scalar(params[len(begin):]); token != nil {
			return token
		}
	}
	if !bytes.Contains(params, []byte("progressToken")) {
		return nil
	}
	if in != "" {
		params = framing.Member(params, in).Of(params)
	}
	value := framing.Member(params, "progressToken").Of(params)
	if len(value) == 0 || value[0] != '"' && value[0] != '-' && (value[0] < '0' || value[0] > '9') {
		return nil
	}
	return value
}

// subscription returns the row plus one of the subscription to which the params of a
// notification say that it belongs, 0 if none is known.
func (x *Index) subscription(params []byte) uint32 {
	if !bytes.Contains(params, []byte(mcp.MetaSubscriptionID)) {
		return 0
	}
	meta := framing.Member(params, "_meta").Of(params)
	key := newPairKey(true, framing.Member(meta, mcp.MetaSubscriptionID).Of(meta))
	if number, ok := x.pair.find(key); ok && methodOf(x, key, number) == mcp.MethodListen {
		return number + 1
	}
	return 0
}

// scalar returns the number or the string without escapes that b begins with, nil if it
// begins with something else.
func scalar(b []byte) []byte {
	if b[0] == '"' {
		end := bytes.IndexByte(b[1:], '"') + 2
		if end < 2 || bytes.IndexByte(b[:end], '\\') >= 0 {
			return nil
		}
		return b[:end]
	}
	for i, c := range b {
		switch {
		case c >= '0' && c <= '9', c == '-', c == '.', c|0x20 == 'e', c == '+':
		case c == ',' && i > 0, c == '}' && i > 0:
			return b[:i]
		default:
			return nil
		}
	}
	return nil
}

// tokenHash returns the hash of a direction and a raw token.
func tokenHash(outgoing bool, raw []byte) uint64 {
	const mixer = 0x9e3779b97f4a7c15
	raw = framing.IDValue(raw)
	h := uint64(len(raw)) << 1
	if outgoing {
		h++
	}
	for len(raw) > 0 {
		word := uint64(0)
		for _, c := range raw[:min(len(raw), 8)] {
			word = word<<8 | uint64(c)
		}
		raw = raw[min(len(raw), 8):]
		hi, lo := bits.Mul64(h^word^mixer, mixer)
		h = hi ^ lo
	}
	return h
}

// A numbering knows which row has an entry. Numbers of entries usually follow each
// other like rows do, but a log may begin in the middle, or lack entries.
type numbering struct {
	jumps []jump // where that changes; ascending
}

// A jump is a row and the number of its entry, which the rows after it follow.
type jump struct {
	row uint32
	n   uint64
}

// add adds the number of the next row.
func (x *numbering) add(row uint32, n uint64) {
	last := jump{}
	if len(x.jumps) > 0 {
		last = x.jumps[len(x.jumps)-1]
		if n-last.n == uint64(row-last.row) {
			return
		}
	}
	if n == 0 {
		return // it has no number
	}
	if n <= last.n {
		x.jumps = x.jumps[:0] // only the later entries can be found
	}
	if len(x.jumps) == maxJumps {
		x.jumps = slices.Delete(x.jumps, 0, maxJumps/2)
	}
	x.jumps = append(x.jumps, jump{row, n})
}

// row returns the row of entry n in a log of a number of rows.
func (x *numbering) row(n uint64, rows int) (row uint32, ok bool) {
	i, exact := slices.BinarySearchFunc(x.jumps, n, func(j jump, n uint64) int {
		switch {
		case j.n < n:
			return -1
		case j.n > n:
			return 1
		}
		return 0
	})
	if !exact {
		i--
	}
	if i < 0 {
		return 0, false
	}
	end := uint64(rows)
	if i+1 < len(x.jumps) {
		end = uint64(x.jumps[i+1].row)
	}
	at := uint64(x.jumps[i].row) + n - x.jumps[i].n
	return uint32(at), at < end
}

func (x *numbering) save(w *stateWriter) {
	w.int(len(x.jumps))
	for _, j := range x.jumps {
		w.int(int(j.row))
		*w = binary.LittleEndian.AppendUint64(*w, j.n)
	}
}

func (x *numbering) restore(r *stateReader, rows int) {
	for range r.int(maxJumps) {
		row := uint32(r.int(rows - 1))
		var n [8]byte
		copy(n[:], r.take(len(n)))
		x.jumps = append(x.jumps, jump{row, binary.LittleEndian.Uint64(n[:])})
	}
}
