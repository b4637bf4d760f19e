package edit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"mcpdbg/session/filelock"
	"os"
	"path/filepath"
	"time"

	"mcpdbg/session/target"
)

// The folders in Editor.State, with a file for each wrapped entry, and one for each file
// that was edited.
const (
	memoryFolder = "wrapped"
	lockFolder   = "locks"
)

// A memory is the file of a wrapped entry. Arguments can be secrets: only the user can read
// it.
type memory struct {
	Key
	Program string `json:"program"` // mcpdbg
	undo
}

func (ed *Editor) folder() string { return filepath.Join(ed.State, memoryFolder) }

func (ed *Editor) memoryOf(key Key) string {
	return filepath.Join(ed.folder(), digest(key.File, key.Project, key.Name)+".json")
}

func digest(parts ...string) string {
	text, _ := json.Marshal(parts) // strings always encode
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// Used reports whether anything was ever wrapped.
func (ed *Editor) Used() bool {
	_, err := os.Stat(ed.folder())
	return err == nil
}

// Remembered returns the entries that were wrapped and not unwrapped, as far as they can be
// read.
func (ed *Editor) Remembered() []Key {
	files, _ := filepath.Glob(filepath.Join(ed.folder(), "*.json")) // a valid pattern
	var keys []Key
	for _, file := range files {
		if m, err := readMemory(file); err == nil {
			keys = append(keys, m.Key)
		}
	}
	return keys
}

// Wrote reports whether the tap of an entry is one that Wrap wrote, so that its program can
// be run: anybody can write another one into the file of a project.
func (ed *Editor) Wrote(e *target.Entry) bool {
	m, err := readMemory(ed.memoryOf(KeyOf(e)))
	return err == nil && e.Tap != nil && m.Program == e.Tap.Program
}

// recall returns what an entry was, or nil if that is not known.
func (ed *Editor) recall(key Key) *undo {
	m, err := readMemory(ed.memoryOf(key))
	if err != nil {
		return nil
	}
	return &m.undo
}

func readMemory(file string) (memory, error) {
	var m memory
	data, err := os.ReadFile(file)
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(data, &m)
}

// remember writes what an entry was.
func (ed *Editor) remember(key Key, old *undo) error {
	data, err := json.Marshal(memory{key, ed.Program, *old})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(ed.folder(), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(ed.folder(), "new-*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), ed.memoryOf(key))
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// Forget removes what is remembered of an entry.
func (ed *Editor) Forget(key Key) error {
	err := os.Remove(ed.memoryOf(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// lockLimit is how long an edit waits for another one of the same file.
const lockLimit = 5 * time.Second

// lock waits for the lock of a file. A dry run takes none, since it would leave a folder.
func (ed *Editor) lock(ctx context.Context, path string) (unlock func(), err error) {
	if ed.DryRun {
		return func() {}, nil
	}
	locks := filepath.Join(ed.State, lockFolder)
	if err := os.MkdirAll(locks, 0o700); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lockLimit, errors.New("another mcpdbg is editing it"))
	defer cancel()
	f, err := filelock.Take(ctx, filepath.Join(locks, digest(path)+".lock"))
	if err != nil {
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}
