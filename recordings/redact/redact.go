package redact

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"unicode/utf8"

	"mcpdbg/framing"
	"mcpdbg/recordings"
	"mcpdbg/session"
)

// An Output is a new file for a recording. The header is rewritten last, because
// it counts what was removed.
type Output interface {
	io.Writer
	io.WriterAt
}

// Copy writes the recording at path to out without what the rules match. If out is
// nil, it only reports what it would do.
//
// The errors are those of recordings.Open, *RuleError, those of out, and that of
// ctx. After an error, out is not a valid recording.
func Copy(ctx context.Context, path string, out Output, with Rules) (*Report, error) {
	s, err := recordings.NewScanner(path)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if with.Identity {
		if with.Names, err = identities(ctx, s, with.Names); err != nil {
			return nil, err
		}
	}
	if !with.Identity {
		with.Names = nil
	}
	if with.Recorded {
		with.given = s.Header().Secrets.With(with.DigestKey)
	}
	rules, err := compile(with)
	if err != nil {
		return nil, err
	}
	c := &copier{scanner: s, report: &Report{GivenUnknown: with.given.Unknown()}}
	c.salt = make([]byte, 32)
	_, _ = rand.Read(c.salt) // never fails
	c.reader = newReader(finder{compiled: rules, salt: c.salt})
	c.tally = tally{report: c.report, counts: map[Item]int{}, rules: map[string]uint64{}}
	if err := c.copy(ctx, out, with); err != nil {
		return nil, fmt.Errorf("redact %s: %w", path, err)
	}
	c.tally.finish()
	c.report.finder = &c.reader.finder
	return c.report, nil
}

type copier struct {
	scanner *recordings.Scanner
	reader  *reader
	salt    []byte
	plans   map[int]plan
	report  *Report
	tally   tally
	sums    sums
	parted  map[session.Kind]bool // the stream's line continues in its next entry
	writes  []write
	before  session.Checksum // of the lines of the original between its header and the current one
	w       *summed
	header  *header
	buf     []byte
}

// A write is a changed stdin entry, kept to correct a later entry about how much of it
// was written.
type write struct {
	n     uint64
	size  int
	edits []edit
}

const latestWrites = 64

func (c *copier) copy(ctx context.Context, out Output, with Rules) (err error) {
	if c.plans, c.report.Pieces, err = makePlans(ctx, c.scanner, newReader(c.reader.finder)); err != nil {
		return err
	}
	c.scanner.Rewind()
	c.w = &summed{Writer: bufio.NewWriterSize(io.Discard, 256<<10)}
	if out != nil {
		c.w.Reset(out)
	}
	c.header = c.newHeader(with)
	if _, err := c.w.Write(c.header.line(c.tally.rules)); err != nil {
		return err
	}
	if err := c.entries(ctx); err != nil {
		return err
	}
	if err := c.w.Flush(); err != nil || out == nil {
		return err
	}
	_, err = out.WriteAt(c.header.line(c.tally.rules), 0)
	return err
}

func (c *copier) entries(ctx context.Context) error {
	c.startProcess()
	c.w.sum = session.NewChecksum()
	sum := session.NewChecksum()
	for n := 0; c.scanner.Next(); n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		c.before = sum
		sum.Add(c.scanner.Line())
		if c.scanner.Torn() {
			c.report.Torn = true
			continue
		}
		e, err := c.scanner.Decode()
		if err != nil {
			c.report.Skipped++
			continue
		}
		c.report.Entries++
		p := c.plans[n]
		if e.Kind.IsStream() {
			err = c.stream(e, p)
		} else {
			err = c.event(e, p)
		}
		if err != nil {
			return err
		}
	}
	return c.scanner.Err()
}

func (c *copier) startProcess() {
	c.sums, c.parted, c.writes = newSums(), map[session.Kind]bool{}, nil
	clear(c.reader.key)
	clear(c.reader.netrc)
}

func (c *copier) stream(e *session.Entry, p plan) error {
	edits := p.edits
	switch {
	case edits != nil && c.reader.key[e.Kind] == 0:
	case isMessage(e.Msg.Kind):
		edits = c.reader.inMessage(e.Kind, e.Payload, e.Msg)
	default:
		edits = c.reader.inStream(e.Kind, e.Payload)
	}
	for _, q := range p.opens {
		c.reader.opens(q)
	}
	size, line := len(e.Payload), c.scanner.Line()
	head := line[:c.scanner.Payload()]
	inHead := c.inHead(e, head, edits)
	c.buf = apply(c.buf[:0], head, inHead)
	payload := c.sums[e.Kind].add(c.scanner.Spare(), e.Payload, e.EOL, edits)
	part := c.parted[e.Kind] || e.More
	c.parted[e.Kind] = e.More
	if len(edits)+len(inHead) == 0 {
		_, err := c.w.Write(line)
		return err
	}
	c.changed(edits, inHead)
	if e.Kind == session.KindStdin {
		c.writes = append(c.writes[max(0, len(c.writes)-latestWrites+1):], write{e.N, size, edits})
	}
	e.Payload, e.Msg = payload, framing.Message{}
	if !part && e.Kind != session.KindStderr {
		e.Msg = framing.Scan(payload)
	}
	if _, err := c.w.Write(c.buf); err != nil {
		return err
	}
	return recordings.WritePayload(c.w, e)
}

func (c *copier) changed(edits ...[]edit) {
	c.report.Changed++
	for _, some := range edits {
		c.tally.add(some)
	}
}

// inHead returns the edits of the members before a payload: the offsets of its cuts, and
// members written by a newer version.
func (c *copier) inHead(e *session.Entry, head []byte, edits []edit) []edit {
	var all []edit
	if c.reader.scanner.scan(head) != 0 {
		all = c.inObject(e.Kind.String(), append(bytes.Clone(head), '}'), false)
	}
	if len(edits) == 0 || len(e.Cuts) == 0 {
		return all
	}
	from := bytes.Index(head, []byte(`"cuts":`)) + len(`"cuts":`)
	to := from + bytes.Index(head[from:], []byte("]]")) + len("]]")
	if from < len(`"cuts":`) || to < from+len("]]") {
		return all // unexpected format: verify reports it
	}
	text := []byte{'['}
	for i, cut := range e.Cuts {
		if i > 0 {
			text = append(text, ',')
		}
		text = fmt.Appendf(text, "[%d,%d]", cut.Seq, moved(edits, int(cut.Off)))
	}
	return joined(append(all, edit{from: from, to: to, text: string(append(text, ']'))}), func(int, int) string { return "" })
}

func (c *copier) inObject(prefix string, object []byte, ids bool) []edit {
	f := &c.reader.finder
	w := walker{finder: f, Cursor: framing.Cursor{Data: object}, hit: f.scanner.scan(object), prefix: prefix + " ", ids: ids}
	edits, _ := w.document()
	return f.joined(object, edits)
}

func (c *copier) event(e *session.Entry, p plan) error {
	line := c.scanner.Line()
	object := bytes.TrimSuffix(line, []byte("\n"))
	client := e.Kind == session.KindFromClient || e.Kind == session.KindToClient
	edits := c.inObject(e.Kind.String(), object, e.Kind == session.KindState || client)
	switch e.Kind {
	case session.KindFromClient, session.KindToClient:
		if m := binaryMember().FindSubmatchIndex(line); m != nil { // not text, and not searched
			edits = append(edits, edit{from: m[2], to: m[3], rule: "binary", place: e.Kind.String() + " b64"})
		}
	case session.KindStart:
		c.startProcess()
	case session.KindClosed, session.KindFailed:
		edits = append(edits, c.sums.correct(line)...)
	case session.KindEnd:
		if begin, found := recordings.CutWhole(line); found {
			return c.end(begin, line)
		}
	case session.KindWrite:
		edits = append(edits, c.written(e, line)...)
	case session.KindWaiting:
		edits = c.waiting(p, line, edits)
	}
	if len(edits) == 0 {
		_, err := c.w.Write(line)
		return err
	}
	edits = c.reader.joined(object, edits)
	c.changed(edits)
	c.buf = apply(c.buf[:0], line, edits)
	_, err := c.w.Write(c.buf)
	return err
}

var binaryMember = expression(`"b64":"([A-Za-z0-9+/=]+)"\}\s*$`)

var bytesMember = expression(`"bytes":\s*(\d+)`)

func (c *copier) written(e *session.Entry, line []byte) []edit {
	var b session.WriteBody
	if e.DecodeBody(&b) != nil {
		return nil
	}
	i := slices.IndexFunc(c.writes, func(w write) bool { return w.n == b.Of })
	m := bytesMember().FindSubmatchIndex(line)
	if i < 0 || m == nil {
		return nil
	}
	return []edit{{from: m[2], to: m[3], text: strconv.Itoa(moved(c.writes[i].edits, b.Bytes))}}
}

var headMember = expression(`"head(?:_b64)?":\s*"((?:[^"\\]|\\.)*)"`)

// waiting replaces the head in a waiting entry with the redacted beginning of its line.
func (c *copier) waiting(p plan, line []byte, edits []edit) []edit {
	m := headMember().FindSubmatchIndex(line)
	if !p.heads || m == nil {
		return edits
	}
	name, value := "head", []byte{}
	if p.head != nil {
		value = p.head
	} else {
		c.report.Heads++
	}
	text, _ := json.Marshal(struct {
		Head []byte `json:"head_b64"`
	}{value})
	if utf8.Valid(value) {
		quoted, _ := json.Marshal(string(value))
		text = fmt.Appendf(nil, `{%q:%s}`, name, quoted)
	}
	outside := edits[:0]
	for _, e := range edits {
		if e.to <= m[0] || e.from >= m[1] {
			outside = append(outside, e)
		}
	}
	return append(outside, edit{from: m[0], to: m[1], text: string(text[1 : len(text)-1]), rule: "", place: ""})
}

// A header is the first line of the copy, with the counts of what was removed.
type header struct {
	line0 []byte // without the closing brace
	room  int    // for the counts
	old   map[string]uint64
}

// mostCounted is the largest count of a rule that fits in a header.
const mostCounted = 99_999_999

// oldMark matches the counts of an earlier run.
var oldMark = expression(`,"redacted":\{[^{}]*\} *`)

// newHeader makes the first line, with room for the final counts.
func (c *copier) newHeader(with Rules) *header {
	line := bytes.TrimRight(c.scanner.HeaderLine(), " \t\r\n")
	line = oldMark().ReplaceAll(recordings.WithoutSecrets(line), nil)
	edits := c.inObject("header", line, false)
	c.tally.add(edits)
	line = apply(nil, line, edits)
	h := &header{line0: bytes.TrimRight(line[:len(line)-1], " "), old: maps.Clone(c.scanner.Header().Redacted)}
	most := map[string]uint64{}
	for _, name := range with.ruleNames() {
		most[name] = mostCounted
	}
	for name, n := range h.old {
		h.old[name] = min(n, mostCounted) // the file may have any value
		most[name] += h.old[name]
	}
	h.room = len(h.counts(most))
	return h
}

func (h *header) counts(rules map[string]uint64) []byte {
	text, _ := json.Marshal(rules) // a map of numbers has no errors
	return append([]byte(`,"redacted":`), text...)
}

// line returns the whole line, padded to a constant length.
func (h *header) line(rules map[string]uint64) []byte {
	all := map[string]uint64{}
	maps.Copy(all, h.old)
	for name, n := range rules {
		all[name] += min(n, mostCounted)
	}
	line := append(slices.Clone(h.line0), h.counts(all)...)
	for pad := len(h.line0) + h.room - len(line); pad > 0; pad-- {
		line = append(line, ' ')
	}
	return append(line, "}\n"...)
}

// A Temporary is a redacted copy of a recording in a file of its own, which Close
// removes.
type Temporary struct {
	*recordings.Recording
	Report *Report
	folder string
}

// Open makes a redacted copy of the recording at path and opens it. The caller must
// close it. The errors are those of Copy and of recordings.OpenContext.
func Open(ctx context.Context, path string, with Rules) (t *Temporary, err error) {
	folder, err := os.MkdirTemp("", "mcpdbg-redacted-") // 0700
	if err != nil {
		return nil, err
	}
	t = &Temporary{folder: folder}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(folder)
			t = nil
		}
	}()
	copied := filepath.Join(folder, filepath.Base(path))
	out, err := os.OpenFile(copied, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	t.Report, err = Copy(ctx, path, out, with)
	if err = errors.Join(err, out.Close()); err != nil {
		return nil, err
	}
	t.Recording, err = recordings.OpenContext(ctx, copied)
	return t, err
}

// Close closes and removes the copy.
func (t *Temporary) Close() error {
	return errors.Join(t.Recording.Close(), os.RemoveAll(t.folder))
}

// A Detector searches a stream of bytes for tokens, so that callers can warn about
// them. It belongs to one goroutine.
type Detector struct {
	rules *compiled
	tail  []byte // of the stream so far
	found string
}

// longestToken bytes at the end of a piece are searched again with the next one.
const longestToken = 1 << 10

// NewDetector returns a detector for the default Patterns.
func NewDetector() *Detector {
	rules, err := compile(Rules{Patterns: defaultPatterns()})
	if err != nil {
		panic("redact: " + err.Error()) // the patterns are constant
	}
	return &Detector{rules: rules}
}

// Found returns the name of the first pattern that was found, or "".
func (d *Detector) Found() string { return d.found }

// Write implements io.Writer. It never fails, and does nothing more once
// something was found.
func (d *Detector) Write(p []byte) (int, error) {
	if d.found != "" {
		return len(p), nil
	}
	begin := append(d.tail, p[:min(len(p), longestToken)]...)
	d.look(begin)
	d.look(p)
	if len(p) >= longestToken {
		begin = p
	}
	d.tail = append([]byte(nil), begin[max(0, len(begin)-longestToken):]...)
	return len(p), nil
}

func (d *Detector) look(text []byte) {
	hit := d.rules.scanner.scan(text)
	for i, re := range d.rules.patterns {
		if d.found != "" || hit&patternBit(i) == 0 {
			continue
		}
		if name := d.rules.names[i]; (name != "url-password" && name != "url-token" || mayLogin(text)) && hasSecret(re, text) {
			d.found = name
		}
	}
}

// mayLogin reports whether a URL in text has an @ before its path, without which the
// patterns of URLs don't match. An archive has a URL for each message.
func mayLogin(text []byte) bool {
	for {
		i := bytes.Index(text, []byte("://"))
		if i < 0 {
			return false
		}
		text = text[i+len("://"):]
		if end := bytes.IndexAny(text, "@/\"'<>\\ \t\n\f\r"); end >= 0 && text[end] == '@' {
			return true
		}
	}
}

// marks begin a replacement as it is, and as Markdown escapes it.
var marks = [][]byte{[]byte(Mark), []byte("&#91;" + Mark[1:])}

// hasSecret reports whether a pattern matches something that is not already replaced.
// Bytes after a mark may belong to the output: an escaped quote, a tag.
func hasSecret(re *regexp.Regexp, text []byte) bool {
	for _, m := range re.FindAllSubmatchIndex(text, -1) {
		from, to := m[len(m)-2], m[len(m)-1]
		replaced := isMark(text[from:to]) || bytes.HasSuffix(text[:from], []byte(Mark)) || // the name is redacted too
			slices.ContainsFunc(marks, func(mark []byte) bool { return bytes.HasPrefix(text[from:to], mark) })
		if !replaced {
			return true
		}
	}
	return false
}
