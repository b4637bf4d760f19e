package recordings

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"
)

const (
	// minStored is the smallest recording whose index is stored: a smaller one is indexed
	// about as fast.
	minStored = 8 << 20
	// maxStored limits all stored indexes; the least recently used are removed. A GiB of
	// recording takes about 80 MB.
	maxStored = 1 << 30
	// staleAfter is the age at which an unfinished file was left by a killed program.
	staleAfter = time.Hour

	storedSuffix = ".index"
	unfinished   = ".tmp"
)

// indexDir returns the folder for stored indexes, which need not exist. Its content can
// be deleted at any time.
func indexDir() (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "mcpdbg", "index"), err
}

func storedPath(path string) (string, error) {
	dir, err := indexDir()
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

// storeAt writes a file atomically, readable by the user only.
func storeAt(path string, write func(io.Writer) error) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "*"+unfinished) // 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // fails once the file is renamed
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

// pruneStored removes the oldest stored indexes beyond limit, and the leftovers of killed
// programs. Open readers are unaffected.
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
	sort.Slice(all, func(i, j int) bool {
		a, b := &all[i], &all[j]
		return b.used.Compare(a.used) < 0
	})
	for _, s := range all {
		if limit -= s.size; limit < 0 {
			_ = os.Remove(s.path)
		}
	}
}
