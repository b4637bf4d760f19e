package send

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/paint"
)

type escapeError struct{ line, col int }

func (e *escapeError) Error() string {
	return fmt.Sprintf(`%d:%d: expected n, r, t, \, xNN or uNNNN after \`, e.line, e.col)
}

// \n, \r, \t, \\, \xNN for one byte and \uNNNN for a character in UTF-8. Line breaks in
// the text are ignored, so that it can be split into lines freely.
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
				line, col := textPosition([]byte(text), at+1)
				return out, &escapeError{line, col}
			}
			out = append(out, bytes...)
			at += 1 + n
		}
	}
	return out, nil
}

// n is 0 if the escape after a backslash is invalid.
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

// rawPreview describes the bytes that a text represents: their number, anything unusual,
// and if there is room why they are not valid JSON.
func rawPreview(text string, th *paint.Theme, cells int) (string, paint.Style) {
	data, err := unescape(text)
	if err != nil {
		return "x " + err.Error(), th.Failed
	}
	if len(data) == 0 {
		return "ctrl+g: malformed messages", th.Dim
	}
	said, lines := wording.Size(int64(len(data)))+" bytes", bytes.Count(data, []byte{'\n'})
	if !utf8.Valid(data) {
		said += ", not UTF-8"
	}
	switch {
	case !bytes.HasSuffix(data, []byte{'\n'}):
		said += ", no newline at the end: f4 adds it"
	case lines > 1:
		said += fmt.Sprintf(", %d lines", lines)
	}
	said += "."
	if _, problem, wrong := strings.Cut(syntaxError(data), ": "); wrong && lines <= 1 {
		problem = strings.Replace(problem, "unexpected end of JSON input", "an end is missing", 1)
		for _, more := range []string{" Not valid JSON: " + problem + ".", " Not valid JSON."} {
			if len(said)+len(more) <= cells {
				return said + more, th.Text
			}
		}
	}
	return said, th.Text
}

func (p *Composer) sendRaw(c host.Context) tea.Cmd {
	if p.instead != nil || c.Workspace.Session == nil {
		return takeRaw(c, p)
	}
	text, s, ctx := p.raw.Value(), c.Workspace.Session, c.Host.Lifetime()
	return func() tea.Msg {
		data, err := unescape(text)
		if err == nil && len(data) == 0 {
			err = errEmpty
		}
		if err != nil {
			return host.Result{What: "send", Err: err}
		}
		said := wording.Size(int64(len(data))) + " bytes"
		_, err = s.SendWith(ctx, session.ActBody{Act: session.ActRaw, Detail: said + " unchanged"}, data, true)
		return host.Result{What: "send", Err: err, Text: said + " sent", Then: func(c host.Context) tea.Cmd {
			p.remember(draftRaw, text)
			p.close(c)
			return c.Panes().Refresh()
		}}
	}
}

// takeRaw gives raw bytes to what takes them in place of the server.
func takeRaw(c host.Context, p *Composer) tea.Cmd {
	text, instead := p.raw.Value(), p.instead
	data, err := unescape(text)
	if err == nil && len(data) == 0 {
		err = errEmpty
	}
	if err != nil {
		c.Host.Warn("send: " + err.Error())
		return nil
	}
	if instead == nil {
		p.remember(draftRaw, text)
	}
	p.close(c)
	switch {
	case instead == nil:
		return host.DriveLine(c, bytes.TrimSuffix(data, []byte("\n")))
	case strings.TrimSuffix(text, `\n`) == strings.TrimSuffix(instead.raw, `\n`): // made of an edited text, it has one
		data = nil
	}
	return instead.take(c, data)
}
