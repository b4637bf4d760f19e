package edit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"mcpdbg/session/target"
)

// An undo is what wrap replaced.
type undo struct {
	// Command and Args are the old bytes of the values. Without args in the file, Args is
	// empty and Inserted is the text that was inserted.
	Command  string `json:"command"`
	Args     string `json:"args,omitempty"`
	Inserted string `json:"inserted,omitempty"`
	// Hash is that of the new command and arguments.
	Hash string `json:"hash"`
}

// seal sets the hash from the wrapped entry.
func (u *undo) seal(data []byte, e *target.Entry) { u.Hash = hash(data, u.replaced(e)) }

// replaced returns the bytes that take the place of the old ones.
func (u *undo) replaced(e *target.Entry) []target.Span {
	args := e.Source.Args.Value
	if u.Inserted != "" {
		args.From = max(0, args.To-len(u.Inserted))
	}
	return []target.Span{e.Source.Command.Value, args}
}

func hash(data []byte, parts []target.Span) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s", part.To-part.From, raw(data, part))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// unwrap returns the text of a file in which an entry with a tap starts its server again
// itself. The old bytes, which may be nil, are used if the entry is as wrap left it.
func unwrap(data []byte, e *target.Entry, old *undo) []byte {
	if old != nil {
		if parts := old.replaced(e); hash(data, parts) == old.Hash {
			return spliced(data, []splice{{parts[0], old.Command}, {parts[1], old.Args}})
		}
	}
	src := &e.Source
	server := src.Items[e.Tap.Words-1] // the words begin with the command
	splices := []splice{{src.Command.Value, string(raw(data, server))}}
	last := target.Span{From: src.Items[0].From, To: server.To}
	if rest := src.Items[e.Tap.Words:]; len(rest) > 0 {
		last.To = src.SkipSpace(data, last.To) + 1 // the comma
		if gap := data[last.To:rest[0].From]; len(bytes.TrimSpace(gap)) == 0 {
			last.To = rest[0].From
		}
		return spliced(data, append(splices, splice{at: last}))
	}
	left := data[src.Args.Value.From+1 : last.From]
	right := data[last.To : src.Args.Value.To-1]
	empty := len(bytes.TrimSpace(left))+len(bytes.Trim(right, " \t\r\n,")) == 0
	if member := withoutArgs(data, src); empty && member != nil && (old == nil || old.Inserted != "") {
		return spliced(data, append(splices, splice{at: *member}))
	}
	if old != nil && old.Args == "null" {
		return spliced(data, append(splices, splice{src.Args.Value, old.Args}))
	}
	if empty {
		last = target.Span{From: last.From - len(left), To: last.To + len(right)}
	} else if at := src.SkipSpace(data, last.To); data[at] == ',' {
		splices = append(splices, splice{at: target.Span{From: at, To: at + 1}})
	}
	return spliced(data, append(splices, splice{at: last}))
}

// withoutArgs returns the member args with its comma or line, or nil if it cannot be
// removed without comments.
func withoutArgs(data []byte, src *target.Source) *target.Span {
	member := target.Span{From: src.Args.Key, To: src.Args.Value.To}
	if !src.Commas {
		return line(data, member)
	}
	before := bytes.TrimRight(data[:member.From], " \t\r\n")
	next := src.SkipSpace(data, member.To)
	switch {
	case data[next] == ',' && len(bytes.TrimSpace(data[member.To:next])) == 0:
		member.To = next + 1
		for slices.Contains([]byte(" \t\r\n"), data[member.To]) {
			member.To++
		}
	case bytes.HasSuffix(before, []byte(",")) && !mayEndInComment(before):
		member.From = len(before) - 1
	default:
		return nil
	}
	return &member
}

// mayEndInComment reports whether the last line of a text has a comment, or a value that
// looks like one.
func mayEndInComment(text []byte) bool {
	last := text[bytes.LastIndexByte(text, '\n')+1:]
	return bytes.Contains(last, []byte("//")) || bytes.Contains(last, []byte("*/"))
}

// line returns a member of TOML with the rest of its lines, unless other text is there.
func line(data []byte, member target.Span) *target.Span {
	from := bytes.LastIndexByte(data[:member.From], '\n') + 1
	to := len(data)
	if end := bytes.IndexByte(data[member.To:], '\n'); end >= 0 {
		to = member.To + end + 1
	}
	if len(bytes.TrimSpace(data[from:member.From])) > 0 || len(bytes.TrimSpace(data[member.To:to])) > 0 {
		return nil
	}
	return &target.Span{From: from, To: to}
}
