package recordings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// A FileError reports what happened to a file of a recording while it was open,
// which makes the recording incomplete.
type FileError struct {
	Path string // as it was created
	What string // such as "was deleted while it was open"
}

func (e *FileError) Error() string { return e.Path + " " + e.What }

const (
	deleted   = "was deleted while it was open"
	replaced  = "was replaced while it was open"
	truncated = "was truncated while it was open"
	changed   = "was changed by another program while it was open"
)

// A fileWatch checks the files of a recording while they are open. It is safe for
// concurrent use.
type fileWatch struct {
	looking sync.Mutex // held by look

	mu     sync.Mutex
	files  []*watchedFile
	fault  *FileError // the first
	places string     // where files were moved to
}

type watchedFile struct {
	f       *os.File
	path    string // absolute
	head    []byte
	counted bool // the file system has link counts
	named   bool // the path leads to the file

	size atomic.Int64 // bytes written, without those about to be cut off
	done atomic.Bool  // no more is written
	seen int64        // size at the last check
}

// The id of the recording is among the first headSize bytes.
const headSize = 64

// add starts watching a file that was just created with a header.
func (w *fileWatch) add(f *os.File, header []byte) *watchedFile {
	file := &watchedFile{f: f, path: absolute(f.Name()), head: header[:min(len(header), headSize)]}
	file.size.Store(int64(len(header)))
	if info, err := f.Stat(); err == nil {
		n, known := links(info)
		file.counted = known && n > 0
		at, err := os.Stat(file.path)
		file.named = err == nil && os.SameFile(info, at)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files = append(w.files, file)
	return file
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// failure returns what happened to a file, or nil.
func (w *fileWatch) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fault == nil {
		return nil
	}
	return w.fault
}

// cut reports whether bytes of a file are gone.
func (w *fileWatch) cut() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fault != nil && (w.fault.What == truncated || w.fault.What == changed)
}

// moved returns where renamed files are now, such as "moved to /a/b".
func (w *fileWatch) moved() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.places
}

// look reports whether anything is new. last is set for the last check, when nothing more
// is written.
func (w *fileWatch) look(last bool) (news bool) {
	w.looking.Lock()
	defer w.looking.Unlock()
	w.mu.Lock()
	files := slices.Clone(w.files)
	w.mu.Unlock()
	var fault *FileError
	var moves []string
	for i, file := range files {
		what, to := file.look(last)
		if what != "" && fault == nil {
			fault = &FileError{file.f.Name(), what}
		}
		if to != "" && i == 0 {
			moves = append(moves, to)
		} else if to != "" {
			moves = append(moves, filepath.Base(file.path)+" "+to)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if fault != nil && w.fault == nil {
		w.fault, news = fault, true
	}
	places := placesText(moves)
	news = news || places != w.places
	w.places = places
	return news
}

// placesText describes the first few moves and counts the rest.
func placesText(moves []string) string {
	const shown = 2
	if len(moves) <= shown {
		return strings.Join(moves, ", ")
	}
	return fmt.Sprintf("%s, and %d more files moved", strings.Join(moves[:shown], ", "), len(moves)-shown)
}

// look returns what happened to the file and where it was moved to.
func (w *watchedFile) look(last bool) (what, moved string) {
	info, err := w.f.Stat()
	switch {
	case errors.Is(err, errStale): // reported by a file server
		return deleted, ""
	case err != nil:
		return "could not be checked: " + cause(err).Error(), ""
	}
	at, err := os.Stat(w.path)
	gone := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	other := err == nil && !os.SameFile(info, at)
	if n, known := links(info); w.counted && known && n == 0 {
		if other {
			return replaced, ""
		}
		return deleted, ""
	}
	if w.named && (gone || other) {
		to := currentPath(w.f, info)
		switch {
		case strings.HasPrefix(filepath.Base(to), ".nfs"): // an NFS client renames an open file that is deleted
			return deleted, ""
		case to == "":
			moved = "moved"
		default:
			moved = "moved to " + to
		}
	}
	return w.content(last || w.done.Load()), moved
}

// content returns what happened to the content; last means that nothing more is written.
func (w *watchedFile) content(last bool) string {
	want, size := w.size.Load(), int64(0)
	for {
		info, err := w.f.Stat()
		if err != nil {
			return "could not be checked: " + cause(err).Error()
		}
		if size = info.Size(); size >= want {
			break
		}
		// The recorder itself cuts off a torn line after lowering w.size.
		now := w.size.Load()
		if now >= want {
			return truncated
		}
		want = now
	}
	from := max(0, min(w.seen, want)-1)
	w.seen = want
	head := make([]byte, min(int64(len(w.head)), want))
	if n, _ := w.f.ReadAt(head, 0); !bytes.Equal(head[:n], w.head[:n]) {
		if bytes.IndexByte(head[:n], 0) >= 0 {
			return truncated
		}
		return changed
	}
	// A file that is truncated while it is written to gets a hole, and no line
	// has a zero byte.
	news := make([]byte, min(want-from, 4<<10))
	if n, _ := w.f.ReadAt(news, from); bytes.IndexByte(news[:n], 0) >= 0 {
		return truncated
	}
	if last && size > want {
		return changed
	}
	return ""
}
