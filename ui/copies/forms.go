package copies

import (
	"fmt"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
)

// Message copies the selected message to the terminal's clipboard.
func Message(c host.Context) tea.Cmd {
	source, row, instead := c.Workspace.Shown.Source, c.Workspace.Viewed.Row, writeInstead(c)
	return func() tea.Msg {
		e, err := source.Entry(row, host.MaxCopy)
		switch {
		case err != nil:
			return host.Result{What: "copy", Err: err}
		case e.Cut:
			return host.Result{What: "copy", Err: fmt.Errorf("%s is too large for a clipboard", wording.Size(e.FullSize))}
		}
		text := string(e.Payload)
		if !e.Kind.IsStream() {
			text = session.Describe(&e)
		}
		return host.Clipboard("message", "", text, instead, false)
	}
}

func copyables(c host.Context) []copyable {
	row, source := c.Workspace.Viewed.Row, c.Workspace.Shown.Source
	header := c.Workspace.Shown.Header()
	message := func() (session.Entry, error) { return source.Entry(row, 0) }
	forms := []copyable{{name: "message, byte for byte", suffix: ".txt", text: func() (string, error) {
		e, err := message()
		if !row.Kind.IsStream() {
			return session.Describe(&e), err
		}
		return string(e.Payload), err
	}}}
	if row.Msg != framing.NotJSON && row.Kind.IsStream() {
		forms[0].suffix = ".json"
	}
	forms = withPlace(c, forms)
	if name, span := mainPart(row.Msg); span != nil {
		forms = append(forms, copyable{name: name, suffix: ".json", text: func() (string, error) {
			e, err := message()
			return string(span(e.Msg).Of(e.Payload)), err
		}})
	}
	forms = append(forms, copyable{name: "row as a line of text", suffix: ".txt", text: func() (string, error) {
		e, err := message()
		return rowLine(row, &e, source.Method(row.Method)), err
	}})
	if sent := sentRow(c); sent.Msg == framing.Request {
		forms = append(forms, copyable{name: "mcpdbg call ... (command line)", suffix: ".sh", text: func() (string, error) {
			e, err := source.Entry(sent, 0)
			if err != nil {
				return "", err
			}
			return CallLine(header, source.Method(sent.Method), e.Msg.Params.Of(e.Payload))
		}})
	}
	if sent := sentRow(c); sent.Kind == session.KindStdin {
		forms = append(forms, copyable{name: "printf ... | server (without mcpdbg)", suffix: ".sh", text: func() (string, error) { return reproduce(header, source, sent) }})
	}
	return append(forms, copyable{name: "configuration for MCP clients", suffix: ".json", lines: true, text: func() (string, error) { return clientConfig(header) }})
}

// sentRow returns the row of the selected message if it was sent, or of the request
// that it answers; the zero row if neither was sent.
func sentRow(c host.Context) session.Row {
	row := c.Workspace.Viewed.Row
	if row.Kind == session.KindStdin {
		return row
	}
	if request, ok := c.Workspace.Shown.Rows.PartnerOf(row); ok && request.Kind == session.KindStdin && request.Msg == framing.Request {
		return request
	}
	return session.Row{}
}

// withPlace adds what is under the cursor of the detail pane: before the other forms
// the part of a content, or after them the value and its paths.
func withPlace(c host.Context, forms []copyable) []copyable {
	as := func(text string) func() (string, error) { return func() (string, error) { return text, nil } }
	if name, text, ok := c.Panes().Part(); ok {
		part := copyable{name: name, shown: text[:min(len(text), menuWidth*utf8.UTFMax)], suffix: ".txt", text: as(text), lines: true}
		return append([]copyable{part}, forms...)
	}
	value, pointer, jq, ok := c.Panes().Value()
	if !ok {
		return forms
	}
	forms = append(forms,
		copyable{name: "value under the cursor", shown: value[:min(len(value), menuWidth*utf8.UTFMax)], suffix: ".json", text: as(value)},
		copyable{name: "path for jq", shown: jq, kind: "jq", suffix: ".jq", text: as(jq)})
	if pointer != "" {
		forms = append(forms, copyable{name: "path as JSON Pointer", shown: pointer, kind: "JSON Pointer", suffix: ".txt", text: as(pointer)})
	}
	return forms
}

func mainPart(kind framing.Kind) (name string, span func(framing.Message) framing.Span) {
	switch kind {
	case framing.Request, framing.Notification:
		return "params", func(m framing.Message) framing.Span { return m.Params }
	case framing.Response:
		return "result", func(m framing.Message) framing.Span { return m.Result }
	case framing.ErrorResponse:
		return "error", func(m framing.Message) framing.Span { return m.Error }
	}
	return "", nil
}

func rowLine(row session.Row, e *session.Entry, method string) string {
	seq := "-"
	if e.Seq > 0 {
		seq = fmt.Sprint(e.Seq)
	}
	text := session.Describe(e)
	if method != "" {
		text = method + " " + text
	}
	return fmt.Sprintf("%s %s %s %s", seq, wording.AppendClock(nil, row.T), kit.Direction(row.Kind), text)
}
