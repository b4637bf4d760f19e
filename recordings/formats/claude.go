package formats

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// Logs of Claude Desktop, mcp-server-NAME.log and mcp.log, as people paste them
// into issues: a line has a time, the server and a level in either order, and a text;
// some versions append data to the text, over several lines. Other lines are stderr
// of the server.

var (
	claudeLine = expression(`^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z) \[([^\]]*)\] \[([^\]]*)\] `)
	claudeMain = expression(`(?m)^\d{4}-\d\d-\d\dT[0-9:.]+Z \[[^\]]*\] \[[^\]]*\] (Message from (client|server): |Initializing server|Server started and connected|Server transport closed)`)
)

const (
	fromClient   = "Message from client: "
	fromServer   = "Message from server: "
	initializing = "Initializing server..."
)

// claudeNothing follows a text without data.
const claudeNothing = " { metadata: undefined }"

// maxContinued is the most lines of data after a text.
const maxContinued = 500

func looksClaude(head []byte) bool {
	return claudeMain().Match(bytes.ReplaceAll(head, []byte("\r\n"), []byte("\n")))
}

func readClaude(s *logSource, to *recorder) error {
	to.wall = true
	to.remark("lines without a time are imported as stderr, with the time of the line before; messages were parsed and rewritten, so numbers and escapes may differ from what was sent")
	to.remark("stdout lines that are not messages, and the exit code, are missing")
	c := claudeReader{source: s, to: to, servers: chooser{only: s.only, report: s.report}, taken: true}
	for {
		line, size, err := s.line()
		if errors.Is(err, io.EOF) {
			return c.flush()
		}
		if err != nil {
			return err
		}
		if size > maxLine {
			err = s.keep(to, line, size, unreadable(fmt.Sprintf("%d bytes exceed the limit of %d", size, maxLine)))
		} else {
			err = c.line(line)
		}
		if err != nil {
			return err
		}
	}
}

type claudeReader struct {
	source  *logSource
	to      *recorder
	servers chooser
	taken   bool // lines without a time belong to the imported server

	said      *logItem // a remark that continues in the next lines
	continued int      // by how many lines
}

func (c *claudeReader) line(line []byte) error {
	m := claudeLine().FindSubmatchIndex(line)
	if m == nil {
		return c.without(line)
	}
	if err := c.flush(); err != nil {
		return err
	}
	part := func(n int) string { return string(line[m[2*n]:m[2*n+1]]) }
	server, level := part(2), part(3)
	if isLevel(server) && !isLevel(level) {
		server, level = level, server
	}
	if c.taken = c.servers.chooses(server); !c.taken {
		return nil
	}
	if c.to.name == "" {
		c.to.name = server
	}
	return c.says(parseWall(part(1)), level, line[m[1]:])
}

func isLevel(word string) bool {
	switch word {
	case "info", "error", "warn", "warning", "debug":
		return true
	}
	return false
}

// says adds a line of Claude Desktop itself.
func (c *claudeReader) says(at int64, level string, said []byte) error {
	for prefix, kind := range map[string]session.Kind{fromClient: session.KindStdin, fromServer: session.KindStdout} {
		if rest, ok := bytes.CutPrefix(said, []byte(prefix)); ok {
			return c.message(logItem{kind: kind, at: at, payload: rest})
		}
	}
	if bytes.HasPrefix(said, []byte(initializing)) {
		if err := c.to.add(logItem{kind: session.KindStart, at: at}); err != nil {
			return err
		}
	}
	note := logItem{kind: session.KindNote, at: at, note: session.NoteBody{Code: noteSaid}}
	if bytes.HasSuffix(said, []byte("{")) {
		c.said = &note
	}
	note.note.Text = clip(strings.TrimSuffix(string(said), claudeNothing), quoted)
	if level == "error" {
		note.note.Text = "error: " + note.note.Text
	}
	if c.said != nil {
		return nil
	}
	return c.to.said(note)
}

// Other text may follow the message.
func (c *claudeReader) message(i logItem) error {
	if framing.Scan(i.payload).Valid() {
		return c.to.add(i)
	}
	var value json.RawMessage
	if err := json.NewDecoder(bytes.NewReader(i.payload)).Decode(&value); err == nil && framing.Scan(value).Valid() {
		i.payload = value
		return c.to.add(i)
	}
	i.payload = bytes.TrimSuffix(i.payload, []byte(claudeNothing))
	c.to.report.Cut++
	err := c.to.add(logItem{kind: session.KindNote, at: i.at, note: session.NoteBody{
		Text: "the next entry is only the beginning of a message: the source truncated it", Code: noteCut}})
	if err != nil {
		return err
	}
	return c.to.add(i)
}

// without adds a line without a time.
func (c *claudeReader) without(line []byte) error {
	if c.said == nil {
		if !c.taken {
			c.source.report.Skipped++
			return nil
		}
		return c.to.add(logItem{kind: session.KindStderr, at: unknown, payload: line})
	}
	c.continued++
	if more := "\n" + string(line); len(c.said.note.Said)+len(more) <= quoted {
		c.said.note.Said += strings.ToValidUTF8(more, "?")
	}
	if end := bytes.HasPrefix(line, []byte("}")); end || c.continued > maxContinued {
		return c.flush()
	}
	return nil
}

// flush adds a remark that continued over several lines.
func (c *claudeReader) flush() error {
	if c.said == nil {
		return nil
	}
	said := *c.said
	said.lines = c.continued
	c.said, c.continued = nil, 0
	said.note.Said = clip(strings.TrimPrefix(said.note.Said, "\n"), quoted)
	return c.to.said(said)
}
