package recordings

import (
	"errors"
	"fmt"
	"os"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// A part is the file that the recorder writes to. It belongs to the leader.
type part struct {
	f      *os.File
	number int   // 0 for the first file
	most   int64 // bytes of a file; 0: no limit
	first  int64 // offset of the first entry
	shift  int64 // recording offset minus file offset
	full   int64 // the offset at which the file has most bytes
	last   session.Kind

	reserve reserve
	watched *watchedFile
}

// endRoom is room for the part entry or the end entry.
const endRoom = 512

// needsPart reports whether an entry, which has its number and time, must begin a new
// part.
func (f *File) needsPart(e *session.Entry) bool {
	p := &f.part
	switch room := p.full - endRoom - f.end; {
	case p.most == 0 || f.memory != nil || f.end == p.first || e.Kind == session.KindEnd:
		return false
	case p.last == session.KindAct: // its result must follow directly
		return false
	case maxLength(e) <= room:
		return false
	default:
		return length(e) > room
	}
}

// maxLength returns an upper bound on length.
func maxLength(e *session.Entry) int64 {
	const (
		members = 256
		cut     = 48 // two numbers and their punctuation
		escape  = 6  // \u0000
	)
	return members + cut*int64(min(len(e.Cuts), framing.MaxCuts)) + escape*int64(e.Size()+len(e.Why)) + int64(len(e.Body))
}

func length(e *session.Entry) int64 {
	if !e.Kind.IsStream() {
		return int64(len(AppendEntry(nil, e)))
	}
	n := int64(0)
	if e.Long != nil {
		around := *e
		n, around.Payload, around.Long = e.Long.Size(), nil, nil
		e = &around
	}
	_, _ = writePieces(nil, e, func(p []byte) error { // the callback returns no error
		n += int64(len(p))
		return nil
	})
	return n
}

// nextPart ends the file with a part entry and continues in a new one, or with a note in
// the same file if that can't be created.
func (f *File) nextPart(t int64) {
	if f.flush(); f.memory != nil {
		return
	}
	number := max(f.part.number, 1) + 1
	next, header, err := f.createPart(number)
	if err != nil {
		f.part.full = f.end + f.part.most
		f.insert(session.NewEntry(session.KindNote, 0, session.NoteBody{
			Text: fmt.Sprintf("recording continues in the same file: create part %d: %v", number, cause(err)),
			Code: "part.failed",
		}), t)
		return
	}
	f.insert(session.NewEntry(session.KindPart, 0, session.PartBody{Next: number}), t)
	if f.flush(); f.memory != nil {
		discard(next.f)
		return
	}
	release(f.part.f, f.end-f.part.shift, &f.part.reserve)
	f.part.watched.done.Store(true)
	unlock(f.part.f) // only after the next one is locked and has its header
	skip := int64(len(header))
	f.files.add(next.f, f.end, skip)
	f.disk.add(next.f)
	next.first, next.shift = f.end, f.end-skip
	next.full, next.watched = next.shift+next.most, f.watch.add(next.f, header)
	f.part = next
}

func (f *File) insert(e session.Entry, t int64) {
	own := []session.Entry{e}
	f.put(&own[0], t)
	f.added = append(f.added, own)
}

// createPart returns the file of part number with its header. Its first entry follows the
// part entry.
func (f *File) createPart(number int) (next part, line []byte, err error) {
	header := f.header
	header.Part, header.First = number, f.n+2
	line, err = appendHeader(nil, header)
	if err != nil {
		return part{}, nil, err
	}
	next = part{number: number, most: f.part.most}
	if next.f, err = createLocked(PartPath(f.path, number)); err != nil {
		return part{}, nil, err
	}
	err = next.reserve.grow(next.f, int64(len(line))+lastRoom, f.allocate)
	if err == nil {
		_, err = f.write(next.f, line)
	}
	if err != nil {
		discard(next.f)
		return part{}, nil, err
	}
	return next, line, nil
}

func discard(f *os.File) {
	_ = errors.Join(f.Close(), os.Remove(f.Name())) // if it remains, it is a part without entries
}
