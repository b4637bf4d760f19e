package redact

import (
	"bytes"

	"mcpdbg/framing"
	"mcpdbg/session"
)

const (
	maxOpen = 64 << 10
	// longestKey is in lines, also of a PGP message.
	longestKey = 4096
	// netrcLines is how many lines a machine of netrc has.
	netrcLines = 4
)

// A reader keeps the state across the lines of streams.
type reader struct {
	finder
	open     map[string]string // methods of pending requests, by stream and id
	opened   []request         // the latest additions to open
	key      map[session.Kind]int
	hasKey   bool // private keys are searched for
	hasNetrc bool
	netrc    map[session.Kind]int // lines in which a machine of netrc may have its password
	methods  bool                 // pointers depend on the method of a message
}

type request struct{ key, method string }

func newReader(f finder) *reader {
	r := &reader{finder: f, open: map[string]string{}, key: map[session.Kind]int{}, netrc: map[session.Kind]int{}}
	for _, name := range f.names {
		r.hasKey = r.hasKey || name == "private-key"
		r.hasNetrc = r.hasNetrc || name == netrcPattern
	}
	for _, p := range f.pointers {
		r.methods = r.methods || p.method != ""
	}
	return r
}

// inStream finds what to remove in the bytes of an entry, or of several entries that form
// a line. Entries of stdin may have several lines.
func (r *reader) inStream(kind session.Kind, b []byte) (edits []edit) {
	for from := 0; from < len(b); {
		line := b[from:]
		if kind == session.KindStdin {
			if n := bytes.IndexByte(line, '\n'); n >= 0 {
				line = line[:n]
			}
		}
		edits = append(edits, shifted(r.inLine(kind, line), from)...)
		from += len(line) + 1
	}
	return edits
}

func (r *reader) inLine(kind session.Kind, line []byte) []edit {
	if kind == session.KindStderr {
		return r.inTextLine(kind, line)
	}
	msg := framing.Scan(bytes.TrimSuffix(line, []byte("\r")))
	switch msg.Kind {
	case framing.NotJSON, framing.Other:
		return r.inTextLine(kind, line)
	case framing.Batch:
		var edits []edit
		for span := range framing.Elements(line) {
			element := span.Of(line)
			edits = append(edits, shifted(r.inMessage(kind, element, framing.Scan(element)), int(span.Start))...)
		}
		return edits
	}
	return r.inMessage(kind, line, msg)
}

func isMessage(kind framing.Kind) bool {
	return kind == framing.Request || kind == framing.Notification || kind == framing.Response || kind == framing.ErrorResponse
}

func (r *reader) inMessage(kind session.Kind, b []byte, msg framing.Message) []edit {
	method := r.methodOf(kind, b, msg)
	hit := r.scanner.scan(b)
	if hit == 0 && len(r.pointers) == 0 && !r.idsHit && !r.progress {
		return nil
	}
	w := walker{finder: &r.finder, Cursor: framing.Cursor{Data: b}, hit: hit, message: true, ids: true, method: method, prefix: method + ":"}
	edits, _ := w.document()
	return r.joined(b, edits)
}

// methodOf returns the method of a message; for a response, that of its request.
func (r *reader) methodOf(kind session.Kind, b []byte, msg framing.Message) string {
	side, other := "<", ">"
	if kind == session.KindStdin {
		side, other = other, side
	}
	switch msg.Kind {
	case framing.Request:
		method := string(unquoted(nil, msg.Method.Of(b)))
		r.opens(request{side + string(msg.ID.Of(b)), method})
		return method
	case framing.Notification:
		return string(unquoted(nil, msg.Method.Of(b)))
	case framing.Response, framing.ErrorResponse:
		key := other + string(msg.ID.Of(b))
		method := r.open[key]
		delete(r.open, key)
		return method
	}
	return ""
}

func (r *reader) opens(q request) {
	if len(r.open) < maxOpen {
		r.open[q.key] = q.method
	}
	if r.opened = append(r.opened, q); len(r.opened) > 1000 {
		r.opened = r.opened[:0] // more than a single line needs
	}
}

// A private key spans many lines that are not messages.
func (r *reader) inTextLine(kind session.Kind, line []byte) []edit {
	place := kind.String()
	if left := r.key[kind]; left > 0 {
		r.key[kind] = left - 1
		if bytes.Contains(line, []byte("-----END ")) {
			r.key[kind] = 0
		}
		if len(line) == 0 {
			return nil
		}
		return []edit{{from: 0, to: len(line), text: r.mark(line, markLetters), rule: "private-key", place: place}}
	}
	edits := r.inText(line, place, 0)
	if r.hasKey && begins(line) {
		r.key[kind] = longestKey
	}
	return r.joined(line, append(edits, r.inNetrc(kind, line, place)...))
}

// begins reports whether a private key begins on the line but does not end there.
func begins(line []byte) bool {
	_, rest, ok := bytes.Cut(line, []byte("-----BEGIN "))
	secret := bytes.Contains(rest, []byte("PRIVATE KEY")) || bytes.Contains(rest, []byte("PGP MESSAGE"))
	return ok && secret && !bytes.Contains(rest, []byte("-----END "))
}

var netrcPassword = expression(`^\s*password\s+(\S+)\s*$`)

// The password of a machine of netrc has a line of its own.
func (r *reader) inNetrc(kind session.Kind, line []byte, place string) []edit {
	if !r.hasNetrc {
		return nil
	}
	if bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("machine ")) {
		r.netrc[kind] = netrcLines
		return nil
	}
	if r.netrc[kind] == 0 {
		return nil
	}
	r.netrc[kind]--
	m := netrcPassword().FindSubmatchIndex(line)
	if m == nil || isMark(line[m[2]:m[3]]) {
		return nil
	}
	return []edit{{from: m[2], to: m[3], text: r.mark(line[m[2]:m[3]], markLetters), rule: netrcPattern, place: place}}
}
