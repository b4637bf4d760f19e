package recordings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"sort"
	"sync"

	"mcpdbg/session"
)

// partFiles is a recording on the disk as one file, with the parts that are added while
// it is read. A later part is read alone. Each part takes a file descriptor.
type partFiles struct {
	chain
	path string

	looking sync.Mutex // held while looking for parts
	id      string     // set when the first later part is found
	number  int
	alone   bool // ignore other parts
	absent  int  // between others
}

// openFile does not check that the file is a recording.
func openFile(path string) (*partFiles, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	p := &partFiles{path: path, number: 1}
	p.add(f, 0, 0)
	if err := p.openOthers(); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// openRegular refuses other files without opening them: opening a pipe would wait for its
// writer, and a device may have no end.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &FormatError{Path: path, LooksLike: describeMode(info.Mode())}
	}
	return os.Open(path)
}

func (p *partFiles) openOthers() error {
	if _, n := partOf(p.path); n > 0 {
		header, _, err := readHeader(p.path, p)
		p.alone = err != nil || header.Part > 0
	}
	for {
		if err := p.refresh(); err != nil || p.alone || !p.continues() {
			return err
		}
		// The next part is missing; look for later ones.
		numbers := laterParts(p.path, p.number)
		if len(numbers) == 0 {
			return nil
		}
		was, next := p.number, slices.Min(numbers)
		if added, err := p.open(next); err != nil || !added {
			return err
		}
		p.absent += next - was - 1
	}
}

// refresh adds the parts that follow the last one without a gap.
func (p *partFiles) refresh() error {
	p.looking.Lock()
	defer p.looking.Unlock()
	for !p.alone {
		if added, err := p.open(p.number + 1); err != nil || !added {
			return err
		}
	}
	return nil
}

// open adds part n if it exists, with a complete and matching first line.
func (p *partFiles) open(n int) (added bool, err error) {
	path := PartPath(p.path, n)
	f, err := openRegular(path)
	if _, foreign := errors.AsType[*FormatError](err); foreign || errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("part %d: %w", n, err)
	}
	skip, ok := p.begins(path, f, n)
	if !ok {
		return false, f.Close()
	}
	if !p.continues() && locked(p.last().f) {
		return false, f.Close() // its recorder is about to write the part entry
	}
	begin, err := p.lastLineEnd()
	if err != nil {
		return false, errors.Join(err, f.Close())
	}
	p.add(f, begin, skip)
	p.number = n
	return true, nil
}

// begins reports whether f has the header of part n, and returns its length.
func (p *partFiles) begins(path string, f *os.File, n int) (skip int64, ok bool) {
	if p.id == "" {
		first, _, err := readHeader(p.path, p)
		if err != nil || first.Part > 0 {
			p.alone = true
			return 0, false
		}
		p.id = first.ID
	}
	header, skip, err := readHeader(path, f)
	if err != nil || header.ID != p.id || header.Part != n || skip == 0 {
		return 0, false
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], skip-1)
	return skip, err == nil && last[0] == '\n'
}

// lastLineEnd returns the offset after the last newline. A part that others follow has a
// torn line only if the machine crashed; it is skipped.
func (p *partFiles) lastLineEnd() (int64, error) {
	info, err := p.chain.Stat()
	if err != nil {
		return 0, err
	}
	begin, buf := p.last().begin, make([]byte, scanSize)
	for end := info.Size(); end > begin; {
		n := min(int64(len(buf)), end-begin)
		if _, err := p.ReadAt(buf[:n], end-n); err != nil {
			return 0, shortRead(err)
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return end - n + int64(i) + 1, nil
		}
		end -= n
	}
	return begin, nil
}

// maxPartLine is more than the line of a part entry takes.
const maxPartLine = 256

func (p *partFiles) continues() bool {
	info, err := p.chain.Stat()
	if err != nil {
		return false
	}
	tail := make([]byte, max(0, min(maxPartLine, info.Size()-p.last().begin)))
	if _, err := p.ReadAt(tail, info.Size()-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	line := bytes.TrimSuffix(tail, []byte("\n"))
	e, err := Decode(line[bytes.LastIndexByte(line, '\n')+1:])
	return err == nil && e.Kind == session.KindPart
}

func (p *partFiles) paths() []string {
	var paths []string
	for _, l := range p.all() {
		paths = append(paths, l.f.Name())
	}
	return paths
}

// Stat implements file. It also looks for parts that were added.
func (p *partFiles) Stat() (fs.FileInfo, error) {
	if err := p.refresh(); err != nil {
		return nil, err
	}
	return p.chain.Stat()
}

func (p *partFiles) locked() bool {
	for {
		last := p.last()
		if locked(last.f) {
			return true
		}
		// The recorder takes the lock of the next part before it releases this one.
		if p.refresh() != nil || p.last().f == last.f {
			return false
		}
	}
}

func (p *partFiles) missing() (between int, next bool) { return p.absent, p.continues() }

// A chain presents the files of a recording as one, later parts without their headers.
// Offsets never change when a file is added. A chain is safe for concurrent use.
type chain struct {
	mu    sync.RWMutex
	links []link // published links are never changed
}

type link struct {
	f     *os.File
	begin int64 // offset in the chain
	skip  int64 // bytes skipped in the file: the header of a later part
}

// add adds a file whose content after skip bytes begins at begin in the chain.
func (c *chain) add(f *os.File, begin, skip int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.links = append(c.links, link{f, begin, skip})
}

func (c *chain) all() []link {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.links
}

func (c *chain) last() link {
	links := c.all()
	return links[len(links)-1]
}

// ReadAt implements io.ReaderAt.
func (c *chain) ReadAt(p []byte, off int64) (int, error) {
	links := c.all()
	i := sort.Search(len(links), func(i int) bool { return links[i].begin > off }) - 1
	read := 0
	for ; i >= 0 && i < len(links); i++ {
		l, end := &links[i], int64(math.MaxInt64)
		if i+1 < len(links) {
			end = links[i+1].begin
		}
		n, err := l.f.ReadAt(p[read:read+int(min(int64(len(p)-read), end-off))], off-l.begin+l.skip)
		read, off = read+n, off+int64(n)
		if read == len(p) {
			return read, nil
		}
		if err != nil {
			return read, err
		}
	}
	return read, io.EOF
}

// Stat returns the info of the last file, with the total size of all files.
func (c *chain) Stat() (fs.FileInfo, error) {
	last := c.last()
	info, err := last.f.Stat()
	if err != nil || last.begin == 0 {
		return info, err
	}
	return chainInfo{info, last.begin + info.Size() - last.skip}, nil
}

type chainInfo struct {
	fs.FileInfo
	size int64
}

// Size implements fs.FileInfo.
func (i chainInfo) Size() int64 { return i.size }

// Close closes all files.
func (c *chain) Close() error {
	var err error
	for _, l := range c.all() {
		err = errors.Join(err, l.f.Close())
	}
	return err
}
