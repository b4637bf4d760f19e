package knownhosts

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

const (
	// 10,000 hashed lines with RSA keys of 4096 bits are 8 MiB.
	maxFile = 32 << 20
	// The largest RSA key that OpenSSH makes (16,384 bits) takes 2.8 KiB; the rest is for
	// names.
	maxLine = 64 << 10
	// maxWarnings is for one file.
	maxWarnings = 100
)

// A Warning is about a line that was skipped, or about a whole file if Line is
// 0. Text contains nothing of the line, except a quoted key type.
type Warning struct {
	File string
	Line int
	Text string
}

// String returns the warning as "file:line: text".
func (w Warning) String() string {
	if w.Line == 0 {
		return w.File + ": " + w.Text
	}
	return fmt.Sprintf("%s:%d: %s", w.File, w.Line, w.Text)
}

// A DB holds the contents of known_hosts files. It does not change, and any
// number of goroutines may use it.
type DB struct {
	entries []*entry          // without revoked keys
	revoked map[string]*entry // by their wire format
	broken  map[string]bool   // files that ssh-keygen refuses to edit
}

func newDB() *DB {
	return &DB{revoked: map[string]*entry{}, broken: map[string]bool{}}
}

// Load reads files in the given order, usually the user's and then the global
// ones. Missing files, empty names and "none" are ignored. Invalid lines are
// skipped with a warning each (at most a hundred for one file); so are lines of
// more than 64 KiB, everything after the first 32 MiB, and files that are not
// regular.
func Load(files ...string) (*DB, []Warning) {
	db := newDB()
	var warnings []Warning
	for _, file := range files {
		if file == "" || file == "none" || file == os.DevNull {
			continue
		}
		text, err := read(file)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				warnings = append(warnings, Warning{File: file, Text: err.Error()})
			}
			continue
		}
		warnings = append(warnings, db.parse(file, text)...)
	}
	return db, warnings
}

// read returns at most a little more than maxFile.
func read(file string) (string, error) {
	// Checked first, because opening a pipe blocks until there is a writer.
	info, err := os.Stat(file)
	if err != nil {
		return "", cause(err)
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("not a regular file, not read")
	}
	f, err := os.Open(file)
	if err != nil {
		return "", cause(err)
	}
	defer func() { _ = f.Close() }()
	var b strings.Builder
	b.Grow(int(min(info.Size(), maxFile)) + 1)
	if _, err := io.Copy(&b, io.LimitReader(f, maxFile+1)); err != nil {
		return "", cause(err)
	}
	return b.String(), nil
}

// A Warning already has the path.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

func (db *DB) add(e *entry) {
	if e.marker != markRevoked {
		db.entries = append(db.entries, e)
	} else if db.revoked[e.blob] == nil {
		db.revoked[e.blob] = e
	}
}

func (db *DB) parse(file, text string) []Warning {
	var warnings []Warning
	skipped := 0
	warn := func(line int, text string) {
		db.broken[file] = true
		if skipped++; skipped <= maxWarnings {
			warnings = append(warnings, Warning{file, line, text})
		}
	}
	cut := len(text) > maxFile
	if cut {
		text = text[:strings.LastIndexByte(text[:maxFile], '\n')+1]
	}
	number := 0
	for line := range strings.Lines(text) {
		number++
		e, err := parseLine(line)
		switch {
		case err != nil:
			warn(number, err.Error())
		case e != nil:
			e.file, e.line = file, number
			db.add(e)
		}
	}
	if skipped > maxWarnings {
		warnings = append(warnings, Warning{File: file, Text: fmt.Sprintf("%d more lines skipped", skipped-maxWarnings)})
	}
	if cut {
		db.broken[file] = true
		warnings = append(warnings, Warning{file, number + 1,
			fmt.Sprintf("file is larger than %d MiB, the rest is not read", maxFile>>20)})
	}
	return warnings
}
