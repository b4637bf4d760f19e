package formats

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A Format is a form that recordings are exported in.
type Format struct {
	Name  string // also the extension of its files
	About string
	Write func(context.Context, io.Writer, Selection) error
}

// Formats returns all formats, those for people first.
func Formats() []Format {
	return []Format{
		{"html", "one self-contained page for a browser: failures, tools, times, all messages", writeHTML},
		{"md", "a report to paste into an issue", writeMarkdown},
		{"jsonl", "one message per line, with time and direction", writeJSONL},
		{"har", "an HTTP archive of requests and responses", writeHAR},
		{"txtar", "one file per message, in a text archive", writeTxtar},
	}
}

// WriteFile writes a file that only its owner can read. It has a temporary name until
// it is complete, so that a partial file is never taken for an export. An existing file
// is replaced only if replace is set; otherwise the error is fs.ErrExist.
func WriteFile(path string, replace bool, write func(io.Writer) error) error {
	if _, err := os.Lstat(path); err == nil && !replace {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".mcpdbg-*.tmp") // 0600
	if err != nil {
		return err
	}
	err = errors.Join(write(temp), temp.Close())
	if err == nil {
		err = place(temp.Name(), path, replace)
	}
	if err != nil || !replace {
		_ = os.Remove(temp.Name()) // or its second name, if it was linked
	}
	return err
}

// place gives a complete file its name. On file systems with links it does not replace a
// file created in the meantime.
func place(temp, path string, replace bool) error {
	if replace {
		return os.Rename(temp, path)
	}
	err := os.Link(temp, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.Rename(temp, path)
}
