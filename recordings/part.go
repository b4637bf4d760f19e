package recordings

import (
	"errors"
	"fmt"
	"os"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// A part is the file that a recorder writes to. It belongs to who leads.
type part struct {
	f      *os.File
	number int   // of a later part; 0 for the first file
	most   int64 // bytes of a file; 0: any number
	first  int64 // offset of the first entry
	shift  int64 // what an offset has more than the place in the file
	full   int64 // the offset at which the file has most bytes
	last   session.Kind

	reserve reserve
	watched *watchedFile
}

// lastWords is room for what may stand behind the last entry of a part: the part
// entry, or the end.
const lastWords = 512

// needsPart tells whether an entry, which has its number and time, is the first
// of a new part.
func (f *File) needsPart(e *session.Entry) bool {
	p := &f.part
	switch room := p.full - lastWords - f.end; {
	case p.most == 0 || f.memory != nil || f.end == p.first || e.Kind == session.KindEnd:
		return false
	case p.last == session.KindAct: // what was done stands directly behind it
		return false
	case mostLength(e) <= room:
		return false
	default:
		return length(e) > room
	}
}

// mostLength is more than the line of an entry takes, or as much.
func mostLength(e *session.Entry) int64 {
	const (
		members = 256
		cut     = 48 // two numbers and what is around them
		escape  = 6  // \u0000
	)
	return members + cut*int64(min(len(e.Cuts), framing.MaxCuts)) + escape*int64(len(e.Payload)+len(e.Why)) + int64(len(e.Body))
}

// length is what the line of an entry takes.
func length(e *session.Entry) int64 {
	if !e.Kind.IsStream() {
		return int64(len(AppendEntry(nil, e)))
	}
	n := int64(0)
	_, _ = writePieces(nil, e, func(p []byte) error { // no error of ours
		n += int64(len(p))
		return nil
	})
	return n
}

// nextPart ends the file with an entry that says so and goes on in a new one.
// Without one, the recording goes on in the old one, and says that.
func (f *File) nextPart(t int64) {
	if f.flush(); f.memory != nil {
		return
	}
	number := max(f.part.number, 1) + 1
	next, header, err := f.createPart(number)
	if err != nil {
		f.part.full = f.end + f.part.most
		f.insert(session.NewEntry(session.KindNote, 0, session.NoteBody{
			Text: fmt.Sprintf("the recording goes on in the same file, for part %d can't be written: %v", number, cause(err)), Code: "part.failed",
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
	unlock(f.part.f) // after the next one is locked and has its header
	skip := int64(len(header))
	f.files.add(next.f, f.end, skip)
	f.disk.add(next.f)
	next.first, next.shift = f.end, f.end-skip
	next.full, next.watched = next.shift+next.most, f.watch.add(next.f, header)
	f.part = next
}

// insert adds an entry of the recorder's own to the batch.
func (f *File) insert(e session.Entry, t int64) {
	own := []session.Entry{e}
	f.put(&own[0], t)
	f.added = append(f.added, own)
}

// createPart creates the file of part number, whose first entry follows the next
// one, and returns it with its header.
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

// discard removes a file that has nothing in it but its header.
func discard(f *os.File) {
	_ = errors.Join(f.Close(), os.Remove(f.Name())) // what stays is a part without entries
}
