package recordings

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"sort"
	"sync"
)

// A chain presents the files of a recording as one: the first file as it is, and
// each later part without its header. Offsets refer to that one file and never
// change when a file is added. A chain is safe for concurrent use.
type chain struct {
	mu    sync.RWMutex
	links []link // published links are never changed
}

// A link is one file of a chain.
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
