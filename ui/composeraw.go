package ui

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/theme"
)

// An escapeError is text that is no escape.
type escapeError struct{ line, col int }

func (e *escapeError) Error() string {
	return fmt.Sprintf(`%d:%d: after \ comes n, r, t, \, xNN or uNNNN`, e.line, e.col)
}

// unescape returns the bytes that a text stands for: \n, \r, \t, \\, \xNN for one
// byte and \uNNNN for a character in UTF-8. Line breaks in the text stand for
// nothing, so that it can be divided as one likes.
func unescape(text string) ([]byte, error) {
	out := make([]byte, 0, len(text))
	for at := 0; at < len(text); {
		c := text[at]
		switch {
		case c == '\n', c == '\r':
			at++
		case c != '\\':
			out = append(out, c)
			at++
		default:
			bytes, n := escapeAt(text[at+1:])
			if n == 0 {
				line, col := lineOf([]byte(text), at+1)
				return out, &escapeError{line, col}
			}
			out = append(out, bytes...)
			at += 1 + n
		}
	}
	return out, nil
}

// escapeAt reads what follows a backslash; n is 0 if it means nothing.
func escapeAt(rest string) (out []byte, n int) {
	if rest == "" {
		return nil, 0
	}
	digits := map[byte]int{'x': 2, 'u': 4}[rest[0]]
	if digits == 0 {
		if i := strings.IndexByte(`nrt\`, rest[0]); i >= 0 {
			return []byte{"\n\r\t\\"[i]}, 1
		}
		return nil, 0
	}
	if len(rest) <= digits {
		return nil, 0
	}
	value, err := strconv.ParseUint(rest[1:1+digits], 16, 16)
	if err != nil {
		return nil, 0
	}
	if digits == 2 {
		return []byte{byte(value)}, 3
	}
	return utf8.AppendRune(nil, rune(value)), 5
}

// escapeBytes is the inverse of unescape.
func escapeBytes(data []byte) string {
	var out strings.Builder
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		switch {
		case r == '\\':
			out.WriteString(`\\`)
		case r == '\n':
			out.WriteString(`\n`)
		case r == '\r':
			out.WriteString(`\r`)
		case r == '\t':
			out.WriteString(`\t`)
		case r == utf8.RuneError && n == 1, r < ' ', r == 0x7f, r == '\ufeff':
			for _, c := range data[:n] {
				fmt.Fprintf(&out, `\x%02x`, c)
			}
		default:
			out.Write(data[:n])
		}
		data = data[n:]
	}
	return out.String()
}

// rawPreview says what bytes a text stands for.
func rawPreview(text string, th *theme.Theme) (string, theme.Style) {
	data, err := unescape(text)
	if err != nil {
		return "x " + err.Error(), th.Error
	}
	if len(data) == 0 {
		return "ctrl+g: messages that are wrong on purpose", th.Dim
	}
	const edge = 12
	said := size(int64(len(data))) + " bytes: "
	if len(data) <= 2*edge {
		said += fmt.Sprintf("% x", data)
	} else {
		said += fmt.Sprintf("% x ... % x", data[:edge], data[len(data)-edge:])
	}
	lines := bytes.Count(data, []byte{'\n'})
	switch {
	case !bytes.HasSuffix(data, []byte{'\n'}):
		said += "  no newline at the end"
	case lines > 1:
		said += fmt.Sprintf("  %d lines", lines)
	}
	if !utf8.Valid(data) {
		said += "  not UTF-8"
	}
	return said, th.Text
}

// sendRaw sends exactly the bytes that are written.
func (a *App) sendRaw() tea.Cmd {
	c := a.composer
	text, s, ctx := c.raw.Value(), a.session, a.ctx
	return func() tea.Msg {
		data, err := unescape(text)
		if err == nil && len(data) == 0 {
			err = errEmpty
		}
		if err != nil {
			return result{what: "send", err: err}
		}
		n, err := s.SendBytes(ctx, data)
		said := size(int64(len(data))) + " bytes"
		s.Act("raw", said+" as they are", n)
		return result{what: "send", err: err, text: said + " sent", then: func(a *App) tea.Cmd {
			c.drafts.sent(draftRaw, text)
			a.closeComposer()
			return a.refresh()
		}}
	}
}

// A preset is a message that is wrong in a way that servers should survive.
type preset struct {
	name string
	make func(message []byte, pending string) []byte
}

// longLine is how long the preset of a long line is, in bytes.
const longLine = 1 << 20

// presets are the ways to be wrong. Each gets a message that is right, and the
// id of a request that waits for its answer.
var presets = []preset{
	{"half a message, no newline", func(m []byte, _ string) []byte { return m[:len(m)/2] }},
	{"no newline", func(m []byte, _ string) []byte { return m }},
	{"CRLF at the end", func(m []byte, _ string) []byte { return append(m, "\r\n"...) }},
	{"bad UTF-8 in a string", func([]byte, string) []byte {
		return []byte("{\"jsonrpc\":\"2.0\",\"id\":\"bad-utf-8\",\"method\":\"ping\",\"params\":{\"text\":\"\xff\xfe\"}}\n")
	}},
	{"the id of a request that waits", func(_ []byte, pending string) []byte {
		return []byte(`{"jsonrpc":"2.0","id":` + pending + `,"method":"ping"}` + "\n")
	}},
	{"batch", func(m []byte, _ string) []byte {
		return []byte("[" + string(m) + `,{"jsonrpc":"2.0","id":"batch-2","method":"ping"}]` + "\n")
	}},
	{"empty batch", func([]byte, string) []byte { return []byte("[]\n") }},
	{"line of 1M", func([]byte, string) []byte {
		return []byte(`{"jsonrpc":"2.0","id":"long-line","method":"ping","params":{"pad":"` + strings.Repeat("x", longLine) + `"}}` + "\n")
	}},
	{"byte order mark", func(m []byte, _ string) []byte { return append(append([]byte("\xef\xbb\xbf"), m...), '\n') }},
	{"message over two lines", func(m []byte, _ string) []byte {
		at := bytes.IndexByte(m, ',') + 1
		return append(append(append(bytes.Clone(m[:at]), '\n'), m[at:]...), '\n')
	}},
	{"header of the language server protocol", func(m []byte, _ string) []byte {
		return fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(m), m)
	}},
	{"empty line", func([]byte, string) []byte { return []byte("\n") }},
	{"id null", func([]byte, string) []byte { return []byte(`{"jsonrpc":"2.0","id":null,"method":"ping"}` + "\n") }},
	{"not JSON", func([]byte, string) []byte { return []byte("hello\n") }},
}

const scopePresets = "presets"

// A presetList is the overlay in which a preset is picked.
type presetList struct{ menu }

// presetsWidth is the width of the list with its border.
const presetsWidth = 60

func (a *App) openPresets() {
	list := &presetList{menu: menu{of: scopePresets}}
	names := make([]string, len(presets))
	for i, p := range presets {
		names[i] = p.name
	}
	list.set(names)
	a.push(list)
}

func (p *presetList) paint(a *App) {
	p.box(a, presetsWidth, "Wrong on purpose", "enter takes it", func(l *paint.Line, i int, style theme.Style) {
		l.Text(style, presets[i].name)
	})
}

// take puts the preset into the composer. It is made of the message that is
// written there, if that is one.
func (p *presetList) take(a *App) tea.Cmd {
	i, ok := p.current()
	a.remove(p)
	if !ok {
		return nil
	}
	c := a.composer
	message, err := oneLine(c.area.Value())
	if m := framing.Scan(message); err != nil || m.Kind != framing.Request {
		message = []byte(`{"jsonrpc":"2.0","id":` + c.nextID() + `,"method":"` + mcp.MethodPing + `"}`)
	}
	pending, err := a.pendingID()
	if err != nil {
		pending = `"mcpdbg-1"` // one that was used before, at least
	}
	c.drafts.sent(draftRaw, c.raw.Value())
	c.raw.SetValue(escapeBytes(presets[i].make(bytes.Clone(message), pending)))
	a.mark(composerID)
	return a.keepLater()
}

var errNonePending = errors.New("no request waits for its answer")

// pendingID is the id of the latest request to the server that is not answered.
func (a *App) pendingID() (string, error) {
	const far = 10_000 // rows back
	for number := a.source.Len() - 1; number >= max(0, a.source.Len()-far); number-- {
		row, ok := a.rows.at(number)
		if !ok || row.Kind != session.KindStdin || row.State != session.ReqPending || row.Len > loadInline {
			continue
		}
		if e, err := a.source.Entry(row, 0); err == nil {
			return string(e.Msg.ID.Of(e.Payload)), nil
		}
	}
	return "", errNonePending
}
