package formats

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// Logs whose lines have a direction before the message: arrows (--> {...}), the MCP output
// of VS Code ([editor -> server] {...}) and the log of mcp-remote ([Local→Remote] {...}). A
// time, a level or a process id may precede it.

const arrows = `\[editor -> server\]|\[server -> editor\]|\[Client Says\]|\[Server Says\]|\[Local→Remote\]|\[Remote→Local\]|-{1,3}>|<-{1,3}|={1,2}>|<={1,2}|>{1,3}|<{1,3}|→|←`

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
	case strings.Contains(arrow, "Local"):
		return remoteTitle
	}
	return arrowsTitle
}

// toServer reports whether a direction is that of the messages of the client.
func toServer(arrow string) bool {
	return slices.Contains([]string{"[editor -> server]", "[Client Says]", "[Local→Remote]", "→"}, arrow) || strings.HasSuffix(arrow, ">")
}

func readArrows(s *logSource, to *recorder) error {
	head := bytes.TrimPrefix(s.head, byteOrderMark)
	to.wall = arrowTime().Match(firstLine(head))
	to.remark("messages have the bytes of the log; stdout lines that are not messages, and the exit code, are missing")
	for {
		line, size, err := s.line()
		if errors.Is(err, io.EOF) {
			return nil
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
			err = s.arrow(to, line)
		}
		if err != nil {
			return err
		}
	}
}

// arrow adds a line: a message, stderr of the server, or words of the program.
func (s *logSource) arrow(to *recorder, line []byte) error {
	item := logItem{at: unknown}
	if at := arrowTime().Find(line[:min(len(line), 100)]); at != nil && to.wall {
		item.at = parseWall(strings.Replace(string(at), " ", "T", 1))
		if item.at == unknown { // without a zone
			item.at = parseWall(strings.Replace(string(at), " ", "T", 1) + "Z")
		}
	}
	if said := arrowSaid().FindSubmatch(line); said != nil { // it may have an arrow
		item.kind, item.payload = session.KindStderr, said[1]
		return to.add(item)
	}
	m := arrowLine().FindSubmatch(line)
	switch {
	case m == nil || !framing.Scan(m[3]).Valid():
		item.kind, item.note = session.KindNote, session.NoteBody{Code: noteSaid, Text: clip(string(line), quoted)}
		return to.add(item)
	case toServer(string(m[2])):
		item.kind = session.KindStdin
	default:
		item.kind = session.KindStdout
	}
	item.payload = m[3]
	return to.add(item)
}
