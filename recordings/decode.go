package recordings

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// Decode decodes one line of a recording, with or without its newline. The
// payload has the exact bytes of the stream, and Msg is what framing.Scan finds
// in them, however they are represented. The entry keeps no reference to line.
//
// A single line does not show whether it is the last part of a line that came in
// parts: it is scanned as a line of its own.
func Decode(line []byte) (session.Entry, error) {
	var d decoder
	e, err := d.decode(slices.Clone(line))
	if err != nil {
		return session.Entry{}, fmt.Errorf("decode: %w", err)
	}
	return e, nil
}

// A decoder's entries alias the line and its own buffers, and are valid until the next
// line.
type decoder struct {
	// rows skips what rows do not need: cuts and why.
	rows bool

	unknown int // over all lines
	kind    []byte
	rep     representation
	before  int  // of the payload's member, with its comma; 0 without one
	plain   bool // the head is usual and valid JSON
	members
	body []byte
}

// decode decodes a whole line. It unescapes a payload in place.
func (d *decoder) decode(line []byte) (e session.Entry, err error) {
	err = d.into(&e, line)
	return e, err
}

// into is decode into a zero entry: copying millions of entries is measurable.
func (d *decoder) into(e *session.Entry, line []byte) error {
	if err := d.head(e, line); err != nil {
		return err
	}
	if e.Kind.IsStream() {
		return d.payload(e)
	}
	if e.Body = d.body; len(e.Body) > 0 && !json.Valid(e.Body) {
		return errMalformed
	}
	return nil
}

// head reads the members up to the payload of a stream entry, or all members of another
// one, into a zero entry.
func (d *decoder) head(e *session.Entry, line []byte) error {
	d.reset(line)
	if d.usual(e) {
		return nil
	}
	for first := true; ; first = false {
		member := d.i
		name, ok := d.next(first)
		if !ok {
			break
		}
		if rep, ok := payloadMember(name); ok && e.Kind.IsStream() {
			d.rep, d.before = rep, member
			break
		}
		d.member(e, name)
	}
	if len(d.body) > 0 {
		d.body = append(d.body, '}')
	}
	switch {
	case d.bad, e.N == 0, d.kind == nil, e.Kind.IsStream() && d.rep == "":
		return errMalformed
	case d.rep == "" && d.i != len(d.b):
		return errMalformed
	}
	return nil
}

func (d *decoder) reset(line []byte) {
	d.members, d.kind, d.rep, d.before, d.plain, d.body = members{b: trimRight(line)}, nil, "", 0, false, d.body[:0]
}

func trimRight(b []byte) []byte {
	n := len(b)
	for n > 0 && (b[n-1] == '\n' || b[n-1] == ' ' || b[n-1] == '\t' || b[n-1] == '\r') {
		n--
	}
	return b[:n:n]
}

func payloadMember(name []byte) (representation, bool) {
	switch string(name) {
	case "m":
		return verbatim, true
	case "raw":
		return escaped, true
	case "b64":
		return encoded64, true
	}
	return "", false
}

// member reads a member before the payload. The kind must come before the members that
// depend on it.
func (d *decoder) member(e *session.Entry, name []byte) {
	known := true
	switch string(name) {
	case "n":
		e.N = d.number()
	case "t":
		e.T = d.time()
	case "k":
		d.kind = d.str()
		e.Kind = session.ParseKind(d.kind)
	case "seq":
		e.Seq = d.number()
	default:
		known = false
	}
	switch {
	case known:
	case e.Kind.IsStream():
		d.streamMember(e, name)
	default:
		value := d.skip()
		if isTime(name) && !plausible(value) {
			d.fail()
		}
		sep := byte(',')
		if len(d.body) == 0 {
			sep = '{'
		}
		d.body = append(d.body, sep, '"')
		d.body = append(d.body, name...)
		d.body = append(d.body, `":`...)
		d.body = append(d.body, value...)
	}
}

func (d *decoder) streamMember(e *session.Entry, name []byte) {
	switch string(name) {
	case "first":
		e.First = d.number()
	case "cuts":
		d.cuts(e)
	case "cuts_dropped":
		e.CutsDropped = d.number()
	case "cuts_range":
		d.skip() // redundant: follows from cuts and seq
	case "why":
		if why := d.str(); !d.rows {
			text, _ := unescape(nil, why)
			e.Why = string(text)
		}
	case "more":
		e.More = string(d.skip()) == "true"
	case "eol":
		switch string(d.str()) {
		case "":
			e.EOL = framing.NoEOL
		case `\r\n`:
			e.EOL = framing.CRLF
		case `\n`:
			e.EOL = framing.LF
		default:
			d.fail()
		}
	default:
		d.unknown++
		d.skip()
	}
}

func (d *decoder) cuts(e *session.Entry) {
	d.expect('[')
	for !d.bad {
		d.expect('[')
		d.space()
		seq := d.number()
		d.expect(',')
		d.space()
		cut := framing.Cut{Seq: seq, Off: d.number()}
		if !d.rows {
			e.Cuts = append(e.Cuts, cut)
		}
		d.expect(']')
		if d.space(); d.i < len(d.b) && d.b[d.i] == ']' {
			break
		}
		d.expect(',')
	}
	d.expect(']')
}

// isTime reports whether a number in a body is a time or a duration.
func isTime(name []byte) bool {
	return bytes.HasSuffix(name, []byte("_us")) || string(name) == "begin" || string(name) == "end"
}

func plausible(value []byte) bool {
	n, _ := strconv.ParseInt(string(value), 10, 64) // the nearest one if it is out of range, 0 if it is not a number
	return -MaxTime <= n && n <= MaxTime
}

// payload decodes the payload, where head has stopped, and scans it as the collector did.
func (d *decoder) payload(e *session.Entry) error {
	if err := d.payloadBytes(e); err != nil {
		return err
	}
	e.FullSize = int64(len(e.Payload))
	e.Encoded = d.rep != verbatim
	if e.Kind == session.KindStderr || e.More {
		return nil
	}
	e.Msg = framing.Scan(e.Payload)
	switch {
	case e.EOL == framing.CRLF:
		e.Msg.Problems |= framing.ProblemCRLF
	case e.EOL == framing.NoEOL && e.Kind == session.KindStdout:
		e.Msg.Problems |= framing.ProblemUnterminated
	}
	if d.rep == verbatim && !e.Msg.Valid() {
		return errMalformed
	}
	return nil
}

func (d *decoder) payloadBytes(e *session.Entry) error {
	if d.rep == verbatim {
		rest := d.b[d.i:]
		if len(rest) < 3 || rest[0] != '{' || rest[len(rest)-1] != '}' {
			return errMalformed
		}
		e.Payload = trimRight(rest[:len(rest)-1])
		return nil
	}
	inside := d.str()
	if d.expect('}'); d.bad || d.i != len(d.b) {
		return errMalformed
	}
	text, read := unescape(inside[:0], inside)
	if read < len(inside) {
		return errMalformed
	}
	e.Payload = text
	if d.rep == escaped {
		return nil
	}
	data, ok := decode64(text)
	if !ok {
		return errMalformed
	}
	e.Payload = data
	return nil
}

// decode64 decodes in place, because a payload can take up most of the memory there is.
func decode64(text []byte) (data []byte, ok bool) {
	var piece [3 << 10]byte
	n := 0
	for from := 0; from < len(text); {
		to := min(from+4<<10, len(text))
		got, err := base64.StdEncoding.Decode(piece[:], text[from:to])
		if err != nil || to < len(text) && got < len(piece) {
			return nil, false // or padding that is not at the end
		}
		n += copy(text[n:], piece[:got])
		from = to
	}
	return text[:n], true
}

// begin decodes about limit bytes of a payload that continues past the line, from its
// value to the end of the line size bytes.
func (d *decoder) begin(e *session.Entry, limit int, size int64) {
	rest := d.b[d.i:]
	e.Cut, e.Encoded = true, d.rep != verbatim
	switch d.rep {
	case verbatim:
		e.Payload = rest[:min(len(rest), limit)]
		e.FullSize = size - int64(len("}\n"))
	case escaped:
		e.Payload, _ = unescape(nil, rest[min(1, len(rest)):])
		e.Payload = e.Payload[:min(len(e.Payload), limit)]
		e.FullSize = size - int64(len(`""}`+"\n"))
	case encoded64:
		text := rest[min(1, len(rest)):]
		e.Payload, _ = base64.StdEncoding.AppendDecode(nil, text[:len(text)/4*4])
		e.Payload = e.Payload[:min(len(e.Payload), limit)]
		e.FullSize = (size - int64(len(`""}`+"\n"))) / 4 * 3
	}
}

// usual reads the head of an entry as this program writes nearly all of them: a stream
// message with only its number, time and sequence number before it. For any other line it
// consumes nothing and returns false; head takes four times as long.
func (d *decoder) usual(e *session.Entry) bool {
	u := usualHead{b: d.b, ok: true}
	u.word(`{"n":`)
	n := u.number()
	u.word(`,"t":`)
	t := u.number()
	kind, seq := session.KindStdin, uint64(0)
	if u.is(`,"k":"stdout","seq":`) {
		kind, seq = session.KindStdout, u.number()
	} else if u.word(`,"k":"stdin"`); u.is(`,"seq":`) { // of a tap
		seq = u.number()
	}
	before := u.i
	u.word(`,"m":{`)
	if !u.ok || n == 0 || t > uint64(MaxTime) {
		return false
	}
	e.N, e.T, e.Kind, e.Seq = n, int64(t), kind, seq
	d.rep, d.before, d.i, d.plain = verbatim, before, u.i-1, !u.padded
	return true
}

// A usualHead reads expected text; ok is false after a mismatch.
type usualHead struct {
	b      []byte
	i      int
	ok     bool
	padded bool // a number begins with a 0, which JSON does not allow
}

// is skips the word if it is next.
func (u *usualHead) is(word string) bool {
	end := u.i + len(word)
	if end > len(u.b) || string(u.b[u.i:end]) != word {
		return false
	}
	u.i = end
	return true
}

func (u *usualHead) word(word string) { u.ok = u.is(word) && u.ok }

// usualDigits certainly fit into a number.
const usualDigits = 18

func (u *usualHead) number() (n uint64) {
	begin := u.i
	for u.i < len(u.b) && u.b[u.i]-'0' <= 9 {
		n = n*10 + uint64(u.b[u.i]-'0')
		u.i++
	}
	u.ok = u.ok && u.i > begin && u.i-begin <= usualDigits
	u.padded = u.padded || u.i-begin > 1 && u.b[begin] == '0'
	return n
}
