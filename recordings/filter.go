package recordings

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/index"
)

// Texts describe entries by the text in them, so that OpenWith can skip most lines
// of a file without decoding them.
type Texts struct {
	// Entries of a stream without any of these texts in their payload are of no interest.
	Any []session.Needle
	// Method reports whether all messages with a method, and the responses to them, may
	// be of interest. Such a name has one of the texts in it. Method must not be nil.
	Method func(name string) bool
}

// OpenWith is like OpenContext for a caller that is interested in a few entries only.
// The recording it returns may be partial: it lacks rows of lines without the texts,
// its other rows have no Pair, State, Method or flag that depends on a missing one,
// and Warnings does not count a missing line whose message is not valid JSON. That
// takes a tenth of the time. It is complete if a method decides, or if messages
// spread over several entries.
func OpenWith(ctx context.Context, path string, texts Texts) (*Recording, error) {
	if len(texts.Any) == 0 || texts.Method(index.OtherMethods) {
		return OpenContext(ctx, path)
	}
	r, err := openFiltered(path, texts)
	if err == nil {
		r, err = r.await(ctx)
	}
	if errors.Is(err, errDependsOnOthers) {
		return OpenContext(ctx, path)
	}
	return r, err
}

var errDependsOnOthers = errors.New("the lines depend on others")

func openFiltered(path string, texts Texts) (*Recording, error) {
	f, err := openFiles(path)
	if err != nil {
		return nil, err
	}
	r := &Recording{path: path, f: f, quit: make(chan struct{}), indexed: make(chan struct{}), live: f.locked(), state: session.RecordingReading}
	if err := r.beginFiltered(texts); err != nil {
		_ = f.Close()
		return nil, err
	}
	r.over.Go(func() { r.run(false) })
	return r, nil
}

func (r *Recording) beginFiltered(texts Texts) error {
	info, err := r.f.Stat()
	if err != nil {
		return fmt.Errorf("open recording: %w", err)
	}
	header, begin, err := readHeader(r.path, r.f)
	if err != nil {
		return err
	}
	r.header, r.size = header, info.Size()
	r.begin(begin)
	r.indexer.index.Partial = true
	r.indexer.filter = newLineFilter(texts, r.searcher.rarityOf(r.f, begin))
	r.at = r.indexer.position
	r.index.Store(r.indexer.index)
	return nil
}

// A lineFilter chooses the lines that are decoded. The others are messages, in the usual
// form, without any of the texts.
type lineFilter struct {
	needles []needle
	method  func(name string) bool
	methods uint16 // of the index, known not to decide
}

func newLineFilter(texts Texts, rarity *[256]uint32) *lineFilter {
	s := &lineFilter{method: texts.Method}
	for _, text := range texts.Any {
		s.needles = append(s.needles, newNeedle(text, rarity))
	}
	return s
}

// check returns errDependsOnOthers if entries that were added to an index depend on other
// lines, or other lines on them.
func (s *lineFilter) check(x *index.Index, entries []session.Entry) error {
	for i := range entries {
		switch e := &entries[i]; {
		case e.Kind == session.KindStderr: // all of its lines are decoded
		case e.More, e.Kind == session.KindStdin && e.EOL == framing.NoEOL:
			return errDependsOnOthers
		}
	}
	for {
		name := x.Method(s.methods + 1)
		if name == "" {
			return nil
		}
		if s.method(name) {
			return errDependsOnOthers
		}
		s.methods++
	}
}

func (b *lineBlock) chosen() {
	b.hits = b.hits[:0]
	for _, n := range b.filter.needles {
		b.hits = append(b.hits, n.over(b.data))
	}
	hit := -1
	for off := 0; off < len(b.data); {
		end := off + bytes.IndexByte(b.data[off:], '\n') + 1
		if hit < off {
			hit = b.nextHit(off)
		}
		if line := b.data[off:end:end]; hit < end || !b.skip(line) {
			b.line(line, b.off+int64(off), int64(len(line)))
		}
		off = end
	}
}

// nextHit returns the position of the first text at or after from, or len(b.data) if
// there is none.
func (b *lineBlock) nextHit(from int) int {
	next := len(b.data)
	for i := range b.hits {
		if hit := b.hits[i].next(from); hit >= 0 {
			next = min(next, hit)
		}
	}
	return next
}

// skip reports whether a line without the texts can be skipped, and counts its entry. A
// line that was cut off is not skipped, so that it is reported.
func (b *lineBlock) skip(line []byte) bool {
	line = trimRight(line)
	b.decoder.members = members{b: line}
	if !b.decoder.usual(&b.skipped) || !bytes.HasSuffix(line, []byte("}}")) {
		return false
	}
	b.order.see(&b.skipped)
	return true
}
