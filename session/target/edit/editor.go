package edit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"mcpdbg/session/target"
)

// An Editor wraps and unwraps servers in config files.
type Editor struct {
	Options target.Options // with LookupEnv
	Program string         // mcpdbg, as an absolute path
	State   string         // the folder for what is remembered, and for locks
	Passing []string       // folders of programs that are not installed
	Flags   []string       // of the taps that are written, before --name
	Force   bool           // wrap what works only in part
	Shared  bool           // wrap in files that git tracks
	DryRun  bool           // write nothing

	beforeReplace, afterReplace func() // for tests
}

// A Key identifies an entry.
type Key struct {
	File    string `json:"file"`
	Project string `json:"project"`
	Name    string `json:"name"`
}

// KeyOf returns the key of an entry.
func KeyOf(e *target.Entry) Key {
	if e.Scope == target.ScopeUser { // its project is the current folder
		return Key{File: e.File, Name: e.Name}
	}
	return Key{e.File, e.Project, e.Name}
}

// A Change is an edit of one entry. Of an entry that was wrapped or unwrapped before, Before
// and After are equal.
type Change struct {
	Before, After target.Entry
}

// Changed reports whether there was anything to edit.
func (c *Change) Changed() bool { return (c.Before.Tap == nil) != (c.After.Tap == nil) }

// Wrap puts a tap before an entry. Its error is a *RefusedError, or about the file.
func (ed *Editor) Wrap(ctx context.Context, key Key) (Change, error) {
	if err := ed.checkProgram(); err != nil {
		return Change{}, err
	}
	return ed.edit(ctx, key, func(t *text) error {
		if t.entry.Tap != nil {
			return nil
		}
		if err := checkSyntax(key.File, t.data, t.file.Client); err != nil {
			return err
		}
		if refused := Refusal(t.entry, ed.Force); refused != nil {
			return refused
		}
		if err := ed.checkShared(ctx, key.File, t.entry); err != nil {
			return err
		}
		after, old, err := ed.wrap(t.data, t.entry)
		if err != nil {
			return err
		}
		t.after, t.old = after, &old
		return nil
	})
}

// Unwrap takes the tap away from an entry.
func (ed *Editor) Unwrap(ctx context.Context, key Key) (Change, error) {
	return ed.edit(ctx, key, func(t *text) error {
		if t.entry.Tap == nil {
			return nil
		}
		if t.entry.Source.Command.Value == (target.Span{}) {
			return &RefusedError{Place: place(t.entry), Why: "its keys are not unique", Hint: "correct the entry"}
		}
		t.after = unwrap(t.data, t.entry, t.old)
		return nil
	})
}

// A text is the contents of a file during an edit.
type text struct {
	path        string // without symbolic links
	data, after []byte // after is nil if there is nothing to do
	file        target.File
	entry       *target.Entry
	old         *undo // remembered, or to be remembered
}

// edit changes an entry by plan, under the lock of its file.
func (ed *Editor) edit(ctx context.Context, key Key, plan func(*text) error) (Change, error) {
	path, info, err := ed.writable(key.File)
	if err != nil {
		return Change{}, err
	}
	unlock, err := ed.lock(ctx, path)
	if err != nil {
		return Change{}, fmt.Errorf("lock %s: %w", key.File, err)
	}
	defer unlock()
	t := &text{path: path}
	if err := ed.read(key, t); err != nil {
		return Change{}, err
	}
	wrapped := t.entry.Tap != nil
	t.old = ed.recall(key)
	if err := plan(t); err != nil {
		return Change{}, err
	}
	if t.after == nil {
		return Change{*t.entry, *t.entry}, nil
	}
	after, err := ed.check(key, t)
	if err != nil {
		return Change{}, err
	}
	change := Change{*t.entry, *after}
	if ed.DryRun {
		return change, nil
	}
	if !wrapped {
		t.old.seal(t.after, after)
		if err := ed.remember(key, t.old); err != nil {
			return Change{}, fmt.Errorf("remember what %s was: %w", key.Name, err)
		}
	}
	if replaced, err := ed.replace(t, info); err != nil {
		if !wrapped && !replaced {
			err = errors.Join(err, ed.Forget(key))
		}
		return Change{}, err
	}
	if wrapped {
		return change, ed.Forget(key)
	}
	return change, nil
}

// read reads the file and finds the entry.
func (ed *Editor) read(key Key, t *text) (err error) {
	if t.data, err = os.ReadFile(t.path); err != nil {
		return err
	}
	if t.file, err = target.Parse(key.File, t.data, ed.Options); err != nil {
		return err
	}
	t.entry, err = find(&t.file, key)
	return err
}

// find returns the entry of a key.
func find(file *target.File, key Key) (*target.Entry, error) {
	var found *target.Entry
	for i := range file.Entries {
		e := &file.Entries[i]
		if KeyOf(e) != key {
			continue
		}
		if found != nil {
			return nil, &RefusedError{place(e), "it is in the file twice", "remove or rename one of them"}
		}
		found = e
	}
	if found == nil {
		return nil, &RefusedError{key.File, fmt.Sprintf("no server %q", key.Name), ""}
	}
	return found, nil
}

// check returns the entry of an edited text, which must have the same servers.
func (ed *Editor) check(key Key, t *text) (*target.Entry, error) {
	file, err := target.Parse(key.File, t.after, ed.Options)
	if err == nil {
		err = verify(t.file, file)
	}
	if err != nil {
		return nil, &RefusedError{place(t.entry), "an edit would damage the file: " + err.Error(), "edit it by hand"}
	}
	after, err := find(&file, key)
	if err == nil && (after.Tap == nil) == (t.entry.Tap == nil) {
		err = &RefusedError{place(t.entry), "the edited entry would not be recognized", "edit it by hand"}
	}
	return after, err
}

// writable returns the path of a file without symbolic links, and refuses one that is not
// the user's to edit.
func (ed *Editor) writable(file string) (path string, info fs.FileInfo, err error) {
	if uid, ok := ed.Options.LookupEnv("SUDO_UID"); ok && uid != strconv.Itoa(os.Geteuid()) {
		return "", nil, &RefusedError{file, "sudo would leave it to another user", "run mcpdbg without sudo"}
	}
	if path, err = filepath.EvalSymlinks(file); err != nil {
		return "", nil, err
	}
	if info, err = os.Stat(path); err != nil {
		return "", nil, err
	}
	switch {
	case !info.Mode().IsRegular():
		return "", nil, &RefusedError{file, "not a regular file", ""}
	case isForeign(info):
		return "", nil, &RefusedError{file, "it belongs to another user", "ask that user"}
	case info.Mode().Perm()&0o200 == 0:
		return "", nil, &RefusedError{file, "it is read-only", "change it where it is made, such as in the settings of Nix or of a dotfile manager"}
	}
	return path, info, nil
}

// errChanged is the cause if another program writes a file during an edit.
var errChanged = errors.New("it changed during the edit; nothing was written")

// replace writes the edited text into a new file that replaces the old one, with its mode,
// and reads it again. With an error, replaced reports whether the edited text was there.
func (ed *Editor) replace(t *text, info fs.FileInfo) (replaced bool, err error) {
	f, err := os.CreateTemp(filepath.Dir(t.path), "."+filepath.Base(t.path)+".mcpdbg-*")
	if err != nil {
		return false, fmt.Errorf("replace %s: %w", t.path, err)
	}
	_, err = f.Write(t.after)
	keepGroup(f, info)
	err = errors.Join(err, f.Chmod(info.Mode().Perm()), f.Sync(), f.Close())
	if ed.beforeReplace != nil {
		ed.beforeReplace()
	}
	if err == nil {
		err = unchanged(t.path, t.data)
	}
	if err == nil {
		err = os.Rename(f.Name(), t.path)
	}
	if err != nil {
		return false, fmt.Errorf("replace %s: %w", t.path, errors.Join(err, os.Remove(f.Name())))
	}
	if ed.afterReplace != nil {
		ed.afterReplace()
	}
	if err := unchanged(t.path, t.after); err != nil {
		return true, fmt.Errorf("%s: another program has written it since; check it", t.path)
	}
	return true, nil
}

// unchanged returns an error unless a file has these contents.
func unchanged(path string, data []byte) error {
	now, err := os.ReadFile(path)
	if err == nil && !bytes.Equal(now, data) {
		err = errChanged
	}
	return err
}

// Holds returns an error unless a change is still in its file: a client that runs may have
// written its own copy over it.
func (ed *Editor) Holds(c *Change) error {
	file, err := target.Read(c.After.File, ed.Options)
	if err != nil {
		return err
	}
	e, err := find(&file, KeyOf(&c.After))
	if err == nil && (e.Tap == nil) != (c.After.Tap == nil) {
		err = &RefusedError{place(e), "another program has undone the edit", "quit " + string(e.Client) + " and try again"}
	}
	return err
}
