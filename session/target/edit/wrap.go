package edit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mcpdbg/session/target"
)

// A splice replaces a part of a text.
type splice struct {
	at   target.Span
	text string
}

// spliced returns data with its splices made, which do not overlap.
func spliced(data []byte, splices []splice) []byte {
	for i := range splices { // a few
		for ; i > 0 && splices[i].at.From < splices[i-1].at.From; i-- {
			splices[i], splices[i-1] = splices[i-1], splices[i]
		}
	}
	var out []byte
	from := 0
	for _, s := range splices {
		out = append(append(out, data[from:s.at.From]...), s.text...)
		from = s.at.To
	}
	return append(out, data[from:]...)
}

// wrap returns the text of a file in which an entry starts its server through a tap
// of mcpdbg, and how to undo it. The entry was read from that text, and Refusal allows
// it.
func (ed *Editor) wrap(data []byte, e *target.Entry) (after []byte, old undo, err error) {
	src := &e.Source
	command, err := quote(ed.Program)
	if err != nil {
		return nil, undo{}, fmt.Errorf("write the path of mcpdbg: %w", err)
	}
	words, err := ed.tapWords(e.Name)
	if err != nil {
		return nil, undo{}, fmt.Errorf("write the name of the server: %w", err)
	}
	old.Command = string(raw(data, src.Command.Value))
	words = append(words, old.Command)
	first := splice{src.Command.Value, command}
	var args splice
	switch {
	case src.Args.Value == (target.Span{}):
		args = missing(data, src, words)
		old.Inserted = args.text
	case src.Null:
		args = splice{src.Args.Value, "[" + strings.Join(words, ", ") + "]"}
	case len(src.Items) == 0:
		at := src.Args.Value.From + 1
		args = splice{target.Span{From: at, To: at}, strings.Join(words, ", ")}
	default:
		at := src.Items[0].From
		comma := separator(data, src)
		args = splice{target.Span{From: at, To: at}, strings.Join(words, comma) + comma}
	}
	if old.Inserted == "" {
		old.Args = string(raw(data, src.Args.Value))
	}
	return spliced(data, []splice{first, args}), old, nil
}

// tapWords are the quoted arguments of a tap before the server's command.
func (ed *Editor) tapWords(name string) ([]string, error) {
	named := []string{"--name", name, "--"}
	if strings.HasPrefix(name, "-") {
		named = []string{"--name=" + name, "--"}
	}
	words := slices.Concat([]string{"tap"}, ed.Flags, named)
	for i, word := range words {
		var err error
		if words[i], err = quote(word); err != nil {
			return nil, err
		}
	}
	return words, nil
}

// quote returns a string of JSON that is also one of TOML.
func quote(word string) (string, error) {
	if !utf8.ValidString(word) {
		return "", errors.New("not valid UTF-8")
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range word {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String(), nil
}

// separator returns the text between elements: a line of its own for each, if the first
// one has one.
func separator(data []byte, src *target.Source) string {
	gap := data[src.Args.Value.From+1 : src.Items[0].From]
	if i := bytes.LastIndexByte(gap, '\n'); i >= 0 {
		return "," + lineStart(gap, i)
	}
	return ", "
}

// lineStart returns a newline of text, at i, and the indentation after it.
func lineStart(text []byte, i int) string {
	from, to := i, i+1
	if from > 0 && text[from-1] == '\r' {
		from--
	}
	for to < len(text) && (text[to] == ' ' || text[to] == '\t') {
		to++
	}
	return string(text[from:to])
}

// missing returns the member args for an entry without one, after its command.
func missing(data []byte, src *target.Source, words []string) splice {
	list := "[" + strings.Join(words, ", ") + "]"
	command, at := src.Command, src.Command.Value.To
	line := bytes.LastIndexByte(data[:command.Key], '\n')
	var start string // of the line that the command is on, if it is the first there
	if line >= 0 && len(bytes.TrimLeft(data[line+1:command.Key], " \t")) == 0 {
		start = lineStart(data[:command.Key], line)
	}
	prefix := string(data[command.Key:command.Name])
	switch {
	case !src.Commas:
		if start == "" {
			start = newline(data)
		}
		if end := bytes.IndexByte(data[at:], '\n'); end < 0 {
			at = len(data)
		} else if at += end; data[at-1] == '\r' {
			at--
		}
		return splice{target.Span{From: at, To: at}, start + prefix + "args = " + list}
	case src.TOML:
		return splice{target.Span{From: at, To: at}, ", " + prefix + "args = " + list}
	}
	space := ""
	if data[command.Value.From-1] == ' ' {
		space = " "
	}
	if start == "" {
		start = space
	}
	return splice{target.Span{From: at, To: at}, "," + start + `"args":` + space + list}
}

// newline returns that of a file.
func newline(data []byte) string {
	if bytes.Contains(data, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

func raw(data []byte, at target.Span) []byte { return data[at.From:at.To] }
