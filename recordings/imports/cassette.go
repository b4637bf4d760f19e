package imports

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// Cassettes of mcp-cassette (github.com/ivermin1123/mcp-cassette), versions 1
// and 2 of its format: a header, then frame, raw and chunks entries, with times in
// milliseconds since startedAt in the header.

func looksCassette(head []byte) bool {
	first := firstLine(head)
	first = first[:min(len(first), 4<<10)]
	return bytes.HasPrefix(first, []byte("{")) && bytes.Contains(first, []byte(`"cassetteVersion"`))
}

func readCassette(s *source, to *recorder) error {
	to.remark("messages were parsed and rewritten, so numbers and escapes may differ from what was sent")
	to.remark("stderr and the exit status are missing; times are in milliseconds")
	to.ordered = true
	return s.objects(to, func(line []byte) error { return cassetteEntry(s, to, line) })
}

func cassetteEntry(s *source, to *recorder, line []byte) error {
	m := map[string][]byte{}
	for name, value := range members(line) {
		m[name] = value
	}
	switch kind := text(m["type"]); kind {
	case "header":
		return cassetteHeader(s, to, m)
	case "frame", "raw":
		payload, ok := message(m["frame"])
		if kind == "raw" {
			payload, ok = []byte(text(m["data"])), isText(m["data"])
		}
		if !ok {
			return unreadable("the " + kind + " has no message")
		}
		return to.cassette(m["dir"], m["t"], payload)
	case "chunks":
		return cassetteChunks(to, m)
	default:
		return unreadable(fmt.Sprintf("unknown entry type %q", clip(kind, 40)))
	}
}

func cassetteHeader(s *source, to *recorder, m map[string][]byte) error {
	version := string(m["cassetteVersion"])
	if to.out != nil || to.late.Len() > 0 {
		return unreadable("duplicate header")
	}
	if version != "1" && version != "2" {
		to.remark("unknown version " + clip(version, 20) + " (known: 1 and 2)")
	}
	s.report.From = "mcp-cassette v" + clip(version, 20)
	if at, err := time.Parse(time.RFC3339Nano, text(m["startedAt"])); err == nil {
		to.header.Start = at
	}
	if era := text(m["era"]); era == "legacy" || era == "modern" {
		to.header.Era = era
	}
	if argv := texts(m["command"]); argv != nil {
		to.argv(argv, "")
	}
	if text(m["transport"]) == "http" {
		to.remark(strings.TrimSuffix("the session went over HTTP to "+clip(text(m["url"]), 200), " to "))
	}
	return nil
}

// cassetteChunks adds the messages of a stream, each with its own time.
func cassetteChunks(to *recorder, m map[string][]byte) error {
	if len(m["chunks"]) == 0 || m["chunks"][0] != '[' {
		return unreadable("the chunks are missing")
	}
	for span := range framing.Elements(m["chunks"]) {
		chunk := span.Of(m["chunks"])
		var at, frame []byte
		if isObject(chunk) {
			for name, value := range members(chunk) {
				switch name {
				case "t":
					at = value
				case "frame":
					frame = value
				}
			}
		}
		payload, ok := message(frame)
		if !ok {
			return unreadable("a chunk has no message")
		}
		if err := to.cassette(m["dir"], at, payload); err != nil {
			return err
		}
	}
	return nil
}

// cassette adds a message with the direction and time of a cassette.
func (r *recorder) cassette(dir, t, payload []byte) error {
	i := item{kind: session.KindStdout, at: unknown, payload: payload}
	switch text(dir) {
	case "c2s":
		i.kind = session.KindStdin
	case "s2c":
	default:
		return unreadable("the direction is missing")
	}
	if ms, err := strconv.ParseFloat(string(t), 64); err == nil {
		i.at = micros(ms, 1e3)
	}
	return r.add(i)
}
