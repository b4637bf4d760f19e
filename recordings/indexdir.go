package recordings

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// worthStoring is how many bytes of a recording are indexed in about the
	// time that it takes to open a stored index.
	worthStoring = 8 << 20
	// maxStored is how many bytes stored indexes take together; those that were
	// not used for the longest give way. A GiB of recording takes about 80 MB.
	maxStored = 1 << 30
	// staleAfter is how old the unfinished file of a killed program is.
	staleAfter = time.Hour

	storedSuffix = ".index"
	unfinished   = ".tmp"
)

// IndexDir is the folder for stored indexes: mcpdbg/index in the user's cache
// folder. It need not exist. What is in it can be deleted at any time.
func IndexDir() (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "mcpdbg", "index"), err
}

// storedPath is the file for the index of the recording at path.
func storedPath(path string) (string, error) {
	dir, err := IndexDir()
	if err != nil {
		return "", err
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	sum := sha256.Sum256([]byte(path))
	return filepath.Join(dir, hex.EncodeToString(sum[:16])+storedSuffix), nil
}

// storeAt writes a file that is there whole or not at all, for the user alone.
func storeAt(path string, write func(io.Writer) error) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "*"+unfinished) // 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // of no avail when it has got its name
	out := bufio.NewWriterSize(f, 1<<20)
	err = write(out)
	err = cmp.Or(err, out.Flush())
	err = cmp.Or(err, f.Close())
	if err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	pruneStored(dir, maxStored, time.Now())
	return nil
}

// pruneStored removes the oldest stored indexes until the others take no more
// than limit bytes, and what killed programs left. Who reads one goes on.
func pruneStored(dir string, limit int64, now time.Time) {
	type stored struct {
		path string
		size int64
		used time.Time
	}
	var all []stored
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		info, err := entry.Info()
		path := filepath.Join(dir, entry.Name())
		switch {
		case err != nil || !info.Mode().IsRegular():
		case strings.HasSuffix(path, storedSuffix):
			all = append(all, stored{path, info.Size(), info.ModTime()})
		case strings.HasSuffix(path, unfinished) && now.Sub(info.ModTime()) > staleAfter:
			_ = os.Remove(path)
		}
	}
	slices.SortFunc(all, func(a, b stored) int { return b.used.Compare(a.used) })
	for _, s := range all {
		if limit -= s.size; limit < 0 {
			_ = os.Remove(s.path)
		}
	}
}
