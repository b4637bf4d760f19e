package formats

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
)

// Logs whose lines have a direction before the message: arrows (--> {...}), the MCP output
// of VS Code ([editor -> server] {...}) and the log of mcp-remote (see remote.go). A time, a
// level or a process id may precede it.

const arrows = remoteArrows + `|\[editor -> server\]|\[server -> editor\]|\[Client Says\]|\[Server Says\]|-{1,3}>|<-{1,3}|={1,2}>|<={1,2}|>{1,3}|<{1,3}|→|←`

var (
	arrowLine = expression(`^(|[^{}"]{0,100}[\s:])(` + arrows + `)\s*([{\[].*)$`)
	arrowHead = expression(`(?m)^(?:|[^{}"\n]{0,100}[\s:])(` + arrows + `)\s*\{`)
	arrowTime = expression(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?`)
	arrowSaid = expression(`^[^{}"]{0,100}\[server stderr\] ?(.*)$`)
)

const (
	vscodeTitle = "VS Code MCP output"
	remoteTitle = "mcp-remote log"
	arrowsTitle = "log with arrows"
)

func looksArrows(title string) func(head []byte) bool {
	return func(head []byte) bool {
		m := arrowHead().FindSubmatch(head)
		return m != nil && arrowTitle(string(m[1])) == title
	}
}

func arrowTitle(arrow string) string {
	switch {
	case strings.Contains(arrow, "editor"), strings.Contains(arrow, "Says"):
		return vscodeTitle
	case isRemote(arrow):
		return remoteTitle
	}
	return arrowsTitle
}

// toServer reports whether a direction is that of the messages of the client.
func toServer(arrow string) bool {
	return slices.Contains([]string{"[editor -> server]", "[Client Says]", remoteSent, "→"}, arrow) || strings.HasSuffix(arrow, ">")
}

func readArrows(s *logSource, to *recorder) error {
	head := bytes.TrimPrefix(s.head, byteOrderMark)
	to.wall = arrowTime().Match(firstLine(head))
	if m := arrowHead().FindSubmatch(head); m != nil && isRemote(string(m[1])) {
		to.remark("messages are rebuilt from the log, which has at most 500 characters of params and no results: whether a result is an error is unknown")
	} else {
		to.remark("messages have the bytes of the log; stdout lines that are not messages, and the exit code, are missing")
	}
	if !to.wall {
		to.remark("its lines have no date and time")
	}
	a := arrowReader{source: s, to: to}
	for {
		line, size, err := s.line()
		if errors.Is(err, io.EOF) {
			return a.flush()
		}
		if err != nil {
			return err
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if size > maxLine {
			err = s.keep(to, line, size, unreadable(fmt.Sprintf("%d bytes exceed the limit of %d", size, maxLine)))
		} else {
			err = a.read(line)
		}
		if err != nil {
			return err
		}
	}
}

// An arrowReader holds the last line that is not a message, since lines without a time
// continue it.
type arrowReader struct {
	source *logSource
	to     *recorder
	said   *logItem
}

func (a *arrowReader) flush() error {
	if a.said == nil {
		return nil
	}
	said := *a.said
	a.said = nil
	return a.to.said(said)
}

// read adds a line: a message, stderr of the server, or words of the program.
func (a *arrowReader) read(line []byte) error {
	item := logItem{at: unknown}
	at := arrowTime().Find(line[:min(len(line), 100)])
	if at != nil && a.to.wall {
		item.at = parseWall(strings.Replace(string(at), " ", "T", 1))
		if item.at == unknown { // without a zone
			item.at = parseWall(strings.Replace(string(at), " ", "T", 1) + "Z")
		}
	}
	if said := arrowSaid().FindSubmatch(line); said != nil { // it may have an arrow
		item.kind, item.payload = session.KindStderr, said[1]
		return a.add(item)
	}
	m := arrowLine().FindSubmatch(line)
	if m == nil || !framing.Scan(m[3]).Valid() {
		if a.said != nil && at == nil && a.to.wall {
			if note := &a.said.note; len(note.Said)+len(line) < quoted {
				note.Said = wording.Join("\n", note.Said, clip(string(line), quoted))
			}
			a.said.lines++
			return nil
		}
		if err := a.flush(); err != nil {
			return err
		}
		item.kind, item.note = session.KindNote, session.NoteBody{Code: noteSaid, Text: clip(string(line), quoted)}
		a.said = &item
		return nil
	}
	item.kind, item.payload = session.KindStdout, m[3]
	if toServer(string(m[2])) {
		item.kind = session.KindStdin
	}
	if isRemote(string(m[2])) {
		return a.remote(item)
	}
	return a.add(item)
}

func (a *arrowReader) add(item logItem) error {
	if err := a.flush(); err != nil {
		return err
	}
	return a.to.add(item)
}
