package recordings

import (
	"errors"
	"fmt"
	"math"
	"os"
	"syscall"

	"mcpdbg/session"
)

const (
	// reserveStep is how much is reserved at once.
	reserveStep = 1 << 20
	// lastRoom is left by ordinary entries, for the note with the reason why the
	// recording stopped, or the end entry.
	lastRoom = 4 << 10
)

// StoppedCode is the code of the note at the end of a recording that could not be
// continued, for example because the disk was full.
const StoppedCode = "recording.stopped"

// A reserve is disk space allocated beyond the end of a file, so that programs that fill
// the disk can't take it.
type reserve struct {
	end int64
	off bool // the file system can't reserve space
}

// grow reserves space up to need, and more if there is enough, where the file system can.
// The error means that the disk is full.
func (r *reserve) grow(f *os.File, need int64, allocate func(f *os.File, off, size int64) error) error {
	for step := int64(reserveStep); !r.off && r.end < need; {
		least := need - r.end
		size := max(step, least)
		err := allocate(f, r.end, size)
		switch {
		case err == nil:
			r.end += size
		case !isFull(err):
			r.off = true
		case size == least:
			return err
		default:
			step /= 4
		}
	}
	return nil
}

// isFull reports whether the disk, a quota or a limit is exhausted.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, errQuota) || errors.Is(err, syscall.EFBIG)
}

// limit returns the offset up to which ordinary entries may be written.
func (r *reserve) limit() int64 {
	if r.off {
		return math.MaxInt64
	}
	return r.end - lastRoom
}

// makeRoom reserves space for the line of e, which has its number and time. The error is
// why it can't.
func (f *File) makeRoom(e *session.Entry) error {
	p := &f.part
	size := maxLength(e)
	end := f.end - p.shift
	if f.memory != nil || e.Kind == session.KindEnd || end+size <= p.reserve.limit() {
		return nil
	}
	if e.Size() > pieceSize {
		size = length(e) // the other bound is six times as much
	}
	err := p.reserve.grow(p.f, end+size+lastRoom, f.allocate)
	if err == nil || size == length(e) {
		return err
	}
	return p.reserve.grow(p.f, end+length(e)+lastRoom, f.allocate)
}

// stopFull ends the recording before the next entry, with a note in the last room.
func (f *File) stopFull(err error, t int64) {
	if f.flush(); f.memory != nil {
		return
	}
	f.insert(session.NewEntry(session.KindNote, 0, session.NoteBody{
		Text: fmt.Sprintf("recording stopped: %v", cause(err)), Code: StoppedCode,
		Hint: "free disk space, or record to another disk with --record FILE",
	}), t)
	if f.flush(); f.memory != nil {
		return
	}
	f.stop(err, f.end, f.n+1)
}

func release(f *os.File, size int64, r *reserve) {
	if r.end > size {
		_ = f.Truncate(size) // on error the space stays reserved, which does not affect readers
	}
	*r = reserve{off: true}
}

// stoppedReason returns the text of a note about the reason why a recording stopped; ok
// is false for any other entry.
func stoppedReason(e *session.Entry) (text string, ok bool) {
	var note session.NoteBody
	if e.Kind != session.KindNote || e.DecodeBody(&note) != nil || note.Code != StoppedCode {
		return "", false
	}
	return note.Text, true
}
