package imports

import (
	"bytes"
	"fmt"
	"strconv"

	"mcpdbg/session"
)

// Logs of mcpsnoop (github.com/kerlenton/mcpsnoop): one envelope per line, as defined
// in its internal/proxy/frame.go; and the events of its JSON export, whose members are
// the same except for the name of the time.

func looksSnoop(head []byte) bool {
	first := firstLine(head)
	first = first[:min(len(first), 4<<10)]
	return bytes.HasPrefix(first, []byte("{")) && bytes.Contains(first, []byte(`"session_id":`)) &&
		bytes.Contains(first, []byte(`"direction":`)) && bytes.Contains(first, []byte(`"seq":`))
}

func readSnoop(s *source, to *recorder) error {
	to.wall = true
	to.remark("the exit status is missing; older versions escaped <, > and & in messages")
	e := snoopReader{to: to, sessions: chooser{only: s.only, report: s.report}}
	return s.objects(to, e.envelope)
}

// A snoopReader reads envelopes.
type snoopReader struct {
	to       *recorder
	sessions chooser
	seq      uint64 // of the last imported envelope
	http     bool
}

// A snoopFrame holds the used members of an envelope.
type snoopFrame struct {
	session, label, transport, direction string
	seq                                  uint64
	at                                   int64
	raw, text                            []byte
	truncated, redacted                  bool
}

func snoopFrameOf(line []byte) snoopFrame {
	f := snoopFrame{at: unknown}
	for name, value := range members(line) {
		switch name {
		case "session_id":
			f.session = text(value)
		case "server_label":
			f.label = text(value)
		case "transport":
			f.transport = text(value)
		case "direction":
			f.direction = text(value)
		case "seq":
			f.seq, _ = strconv.ParseUint(string(value), 10, 64)
		case "ts", "timestamp":
			f.at = wallTime(value)
		case "raw":
			f.raw = value
		case "text":
			f.text = value
		case "truncated":
			f.truncated = string(value) == "true"
		case "redacted":
			f.redacted = string(value) == "true"
		}
	}
	return f
}

func (e *snoopReader) envelope(line []byte) error { return e.frame(snoopFrameOf(line)) }

func (e *snoopReader) frame(f snoopFrame) error {
	kinds := map[string]session.Kind{"c2s": session.KindStdin, "s2c": session.KindStdout, "stderr": session.KindStderr}
	kind, known := kinds[f.direction]
	if !known && f.direction != "meta" {
		return unreadable("the direction is missing")
	}
	if !e.sessions.take(f.session) {
		return nil
	}
	if e.to.name == "" {
		e.to.name = f.label
	}
	if f.transport == "http" && !e.http && e.to.out == nil {
		e.http = true
		e.to.remark("the session went over HTTP")
	}
	if err := e.lost(f.seq); err != nil {
		return err
	}
	if f.direction == "meta" {
		return e.meta(f)
	}
	i := item{kind: kind, at: f.at, payload: compact(f.raw)}
	if f.raw == nil {
		i.payload = []byte(text(f.text))
	}
	if f.redacted {
		if err := e.to.add(item{kind: session.KindNote, at: f.at, note: session.NoteBody{Text: "mcpsnoop redacted the next entry", Code: noteSaid}}); err != nil {
			return err
		}
	}
	if f.truncated {
		return e.to.cut(i)
	}
	return e.to.add(i)
}

// lost adds a note for a gap in the sequence of a session.
func (e *snoopReader) lost(seq uint64) error {
	last := e.seq
	e.seq = max(seq, last)
	if last == 0 || seq <= last+1 {
		return nil
	}
	return e.to.note(noteLost, fmt.Sprintf("mcpsnoop missed %d frames here, %d to %d", seq-last-1, last+1, seq-1), "")
}

// meta handles the start of the server.
func (e *snoopReader) meta(f snoopFrame) error {
	if isObject(f.raw) {
		var argv []string
		cwd := ""
		for name, value := range members(f.raw) {
			switch name {
			case "command":
				argv = texts(value)
			case "cwd":
				cwd = text(value)
			}
		}
		e.to.argv(argv, cwd)
	}
	return e.to.add(item{kind: session.KindStart, at: f.at})
}

// cut adds a truncated message, with a note.
func (r *recorder) cut(i item) error {
	r.report.Cut++
	err := r.add(item{kind: session.KindNote, at: i.at, note: session.NoteBody{
		Text: "the next entry is only the beginning of a message: the source truncated it", Code: noteCut}})
	if err != nil {
		return err
	}
	return r.add(i)
}

func looksSnoopExport(head []byte) bool {
	first := head[:min(len(head), 4<<10)]
	return bytes.HasPrefix(bytes.TrimSpace(first), []byte("{")) && bytes.Contains(first, []byte(`"generated_at":`)) &&
		bytes.Contains(first, []byte(`"session":`)) && bytes.Contains(first, []byte(`"missing_frames":`))
}

func readSnoopExport(s *source, to *recorder) error {
	to.wall = true
	to.remark("messages were pretty-printed, and their whitespace is removed; the exit status is missing")
	e := snoopReader{to: to, sessions: chooser{only: s.only, report: s.report}}
	doc := document{source: s, to: to}
	return doc.end(doc.members(func(name string) error {
		switch name {
		case "events":
			return doc.elements(e.envelope)
		case "session":
			value, err := doc.value()
			if err != nil || !isObject(value) {
				return err
			}
			for name, value := range members(value) {
				if name == "label" {
					to.name = text(value)
				}
			}
			return nil
		}
		return doc.skip()
	}))
}
