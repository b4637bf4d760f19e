package imports

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"strconv"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// The output of mcpdbg rec export --format txtar: a file for each line, whose name
// contains entry, time and direction.

var (
	txtarFile = expression(`^-- (\S+) --$`)
	txtarName = expression(`^\d+-t(\d+)-(in|out|err)(?:-.*?)??(-more)?\.(json|txt|b64)$`)
	txtarMain = expression(`(?m)^-- \d+-t\d+-(in|out|err)[^ ]*\.(json|txt|b64) --$`)
)

func looksTxtar(head []byte) bool { return txtarMain().Match(head) }

func readTxtar(s *source, to *recorder) error {
	to.remark("line endings, and entries other than messages and lines, are missing")
	t := txtarReader{source: s, to: to}
	for {
		line, size, err := s.line()
		if errors.Is(err, io.EOF) {
			return t.finish()
		}
		if err != nil {
			return err
		}
		if m := txtarFile().FindSubmatch(line); m != nil && size <= maxLine {
			if err := t.finish(); err != nil {
				return err
			}
			t.name = string(m[1])
			continue
		}
		if err := t.line(line, size); err != nil {
			return err
		}
	}
}

// A txtarReader reads the files of an archive.
type txtarReader struct {
	source *source
	to     *recorder
	name   string // of the current file; "" before the first
	header []byte
}

// maxTxtarHeader limits the header of an archive, in bytes.
const maxTxtarHeader = 1 << 20

func (t *txtarReader) line(line []byte, size int64) error {
	if t.name == "" {
		return nil // comment
	}
	if t.name == "header.json" {
		if len(t.header)+len(line) <= maxTxtarHeader {
			t.header = append(append(t.header, line...), '\n')
		}
		return nil
	}
	return t.source.keep(t.to, line, size, t.entry(line, size))
}

// entry adds the one line of a file.
func (t *txtarReader) entry(line []byte, size int64) error {
	m := txtarName().FindStringSubmatch(t.name)
	if m == nil || size > maxLine {
		return unreadable("the file " + clip(t.name, 80) + " is not a message")
	}
	i := item{at: unknown, payload: line, more: m[3] != "" && m[4] != "json"}
	i.kind = map[string]session.Kind{"in": session.KindStdout, "out": session.KindStdin, "err": session.KindStderr}[m[2]]
	if us, err := strconv.ParseInt(m[1], 10, 64); err == nil && us < maxMicros {
		i.at = us
	}
	if m[4] == "b64" {
		data, err := base64.StdEncoding.DecodeString(string(line))
		if err != nil {
			return unreadable("invalid base64")
		}
		i.payload = data
	}
	return t.to.add(i)
}

// finish handles the end of a file.
func (t *txtarReader) finish() error {
	if t.name != "header.json" {
		return nil
	}
	var h session.Header
	if err := framing.Unmarshal(bytes.TrimSpace(t.header), &h); err != nil {
		return t.source.keep(t.to, t.header, int64(len(t.header)), unreadable("invalid header"))
	}
	t.to.header.Start, t.to.header.Era = h.Start, h.Era
	t.to.header.Redacted = h.Redacted
	if h.Placement == "ssh" && h.Host != "" {
		t.to.header.Placement, t.to.header.Host = h.Placement, h.Host
	}
	t.to.argv(h.Argv, h.Cwd)
	t.name = ""
	return nil
}
