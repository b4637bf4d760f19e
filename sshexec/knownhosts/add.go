package knownhosts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/crypto/ssh"
)

// Add records key in file for host on port, with a hashed name if hash is set.
// Nothing is written if file has that key already, or is os.DevNull. If file
// conflicts with the key, Add returns the *ChangedError or *RevokedError: such
// lines are only removed by hand.
//
// The line is one append of whole bytes, so that neither a crash nor another
// program that appends at the same time, such as ssh, leaves half of it; a last
// line without a newline is ended first, and a full disk leaves the file
// unchanged. Other calls, also of other processes, wait in the meantime, until
// ctx is done. Mode, owner and links of an existing file stay; a new one is
// readable only by its owner, and so is a new directory for it.
//
// A program that replaces the file, as ssh-keygen -R does, takes no lock. Add
// detects that if it happens before Add returns, and writes again.
// sees that if it happens before Add returns, and writes again.
func Add(ctx context.Context, file, host string, port int, key ssh.PublicKey, hash bool) error {
	_, plain := split(key)
	line := Line(host, port, plain, hash)
	if line == "" {
		return fmt.Errorf("record host key of %q: %w", host, errName)
	}
	if file == os.DevNull {
		return nil
	}
	for {
		done, err := addOnce(ctx, file, line, func() error {
			db, _ := Load(file)
			return db.Check(host, port, plain)
		})
		if err != nil {
			return fmt.Errorf("record host key of %s: %w", host, err)
		}
		if done {
			return nil
		}
	}
}

// addOnce appends line unless check, which is called under the lock, reports that it is
// not needed. done is false if file was replaced in the meantime.
func addOnce(ctx context.Context, file, line string, check func() error) (done bool, err error) {
	f, err := open(file)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }() // which releases the lock
	if err := wait(ctx, f); err != nil {
		return false, err
	}
	err = check()
	if err == nil {
		return true, nil
	}
	if unknown := (*UnknownError)(nil); !errors.As(err, &unknown) {
		return false, err
	}
	if err := appendLine(f, line); err != nil {
		return false, err
	}
	return current(f, file), nil
}

func open(file string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, err
	}
	// Readable, to see how the file ends.
	f, err := os.OpenFile(file, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", file)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func wait(ctx context.Context, f *os.File) error {
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		locked, err := tryLock(f)
		if locked || err != nil {
			return err
		}
		// There is no notification when a lock is released.
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// current reports whether file still refers to f.
func current(f *os.File, file string) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(file)
	return err == nil && os.SameFile(open, named)
}

// appendLine writes line in one piece, or leaves f unchanged.
func appendLine(f *os.File, line string) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	if size > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, size-1); err != nil && err != io.EOF {
			return err
		}
		if last[0] != '\n' {
			line = "\n" + line
		}
	}
	n, err := f.WriteString(line + "\n")
	if err != nil {
		// A full disk accepts a part. Keep what other programs appended after
		// it.
		if info, failed := f.Stat(); n > 0 && failed == nil && info.Size() == size+int64(n) {
			_ = f.Truncate(size)
		}
		return err
	}
	return f.Sync()
}
