package ui

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/keymap"
	"mcpdbg/ui/paint"
	"mcpdbg/ui/theme"
)

// The actions around copying.
const (
	actCopyMenu  = "copy-menu"
	actCopyThis  = "copy-this"
	actWriteThis = "write-this"
	actCloseCopy = "close-copy"
)

const scopeCopy = "copy"

// copyActions are those of the menu of what can be copied.
func copyActions() []action {
	return append([]action{
		{entry{ID: actCopyMenu, Keys: []string{"y"}, Scope: keymap.Global, Title: "copy", Help: "Choose what to copy or to write to a file: the message, a value, its path, a command line that sends it again.", Priority: 12, Enabled: hasSelection}, nothing((*App).openCopyMenu)},
		{entry{ID: actCopyThis, Keys: []string{"enter"}, Scope: scopeCopy, Title: "copy", Help: "Send it to the terminal's clipboard (OSC 52).", Priority: 90}, on((*App).copyThis)},
		{entry{ID: actWriteThis, Keys: []string{"ctrl+s"}, Scope: scopeCopy, Title: "write to a file", Help: "Ask for a name and write it to a new file.", Priority: 80}, on((*App).writeThis)},
		{entry{ID: actCloseCopy, Keys: []string{"esc"}, Scope: scopeCopy, Title: "close", Help: "Close the menu.", Priority: 70}, nothing((*App).pop)},
	}, pickerActions(scopeCopy)...)
}

// A copyable is one form in which a row can be taken elsewhere.
type copyable struct {
	name   string
	suffix string // of a file
	text   func() (string, error)
	lines  bool // several, and the line breaks are ours
}

// A copyMenu lists what can be copied of a row.
type copyMenu struct {
	menu
	forms []copyable
	n     int // of the row, for a file's name
}

// chosen is the form under the cursor, nil if nothing matches.
func (m *copyMenu) chosen() *copyable {
	i, ok := m.current()
	if !ok {
		return nil
	}
	return &m.forms[i]
}

func (a *App) openCopyMenu() {
	m := &copyMenu{menu: menu{of: scopeCopy}, forms: a.copyables(), n: a.selected.number + 1}
	names := make([]string, len(m.forms))
	for i, f := range m.forms {
		names[i] = f.name
	}
	m.set(names)
	a.push(m)
}

// copyMenuWidth is the width of the menu with its border.
const copyMenuWidth = 60

func (m *copyMenu) paint(a *App) {
	m.box(a, copyMenuWidth, "Copy", "enter copies, ctrl+s writes a file", func(l *paint.Line, i int, style theme.Style) {
		l.Text(style, m.forms[i].name)
	})
}

func (a *App) copyThis(m *copyMenu) tea.Cmd {
	f := m.chosen()
	if f == nil {
		return nil
	}
	a.pop()
	return func() tea.Msg {
		text, err := f.text()
		if err != nil {
			return result{what: "copy", err: err}
		}
		return toClipboard(f.name, text, f.lines)
	}
}

// toClipboard sends a text to the clipboard and says so: whether it got there
// cannot be known.
func toClipboard(name, text string, lines bool) tea.Msg {
	if lines {
		rows := strings.Split(text, "\n")
		for i, row := range rows {
			rows[i] = pasteable(row)
		}
		text = strings.Join(rows, "\n")
	} else {
		text = pasteable(text)
	}
	if len(text) > maxCopy {
		return result{what: "copy", err: fmt.Errorf("%s is too much for a clipboard: ctrl+s writes it to a file", size(int64(len(text))))}
	}
	said := fmt.Sprintf("%s: %s sent to the terminal's clipboard", name, size(int64(len(text))))
	if len(text) > commonClipboard {
		said += "; many terminals take only 74K"
	}
	return result{text: said, then: func(*App) tea.Cmd { return tea.SetClipboard(text) }}
}

// writeThis asks for the name of a file, in the last line.
func (a *App) writeThis(m *copyMenu) tea.Cmd {
	f := m.chosen()
	if f == nil {
		return nil
	}
	a.pop()
	name := fmt.Sprintf("mcpdbg-%d%s", m.n, f.suffix)
	a.prompt = newPrompt("write to", "a new file", name, func(a *App, name string) (tea.Cmd, error) {
		if strings.TrimSpace(name) == "" {
			return nil, nil
		}
		return func() tea.Msg {
			text, err := f.text()
			if err == nil {
				err = a.save(name, text)
			}
			return result{what: "write", err: err, text: f.name + ": " + size(int64(len(text))) + " written to " + name}
		}, nil
	})
	return nil
}

// writeNew writes a file that is not there yet, for its owner alone.
func writeNew(name, text string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// copyables are the forms in which the selected row can be taken elsewhere.
func (a *App) copyables() []copyable {
	row, source, header := a.selected.row, a.source, a.source.Header()
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
	if t := a.detail.tree; t != nil && a.detail.showsTree() {
		value, pointer := string(t.Value()), t.Pointer()
		forms = append(forms,
			copyable{name: "value under the cursor", suffix: ".json", text: func() (string, error) { return value, nil }},
			copyable{name: "path of the value (JSON pointer)", suffix: ".txt", text: func() (string, error) { return pointer, nil }})
	}
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
	if row.Kind == session.KindStdin && row.Msg == framing.Request {
		forms = append(forms, copyable{name: "mcpdbg call ... (our command line)", suffix: ".sh", text: func() (string, error) {
			e, err := message()
			if err != nil {
				return "", err
			}
			return callLine(header, source.Method(row.Method), e.Msg.Params.Of(e.Payload))
		}})
	}
	if row.Kind == session.KindStdin {
		forms = append(forms, copyable{name: "printf ... | server (without mcpdbg)", suffix: ".sh", text: func() (string, error) { return reproduce(source, row) }})
	}
	return append(forms, copyable{name: "configuration for MCP clients", suffix: ".json", lines: true, text: func() (string, error) { return clientConfig(header) }})
}

// mainPart is the member of a message that carries what it is about.
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

// rowLine writes a row in one line: sequence, time, direction, and the text.
func rowLine(row session.Row, e *session.Entry, method string) string {
	seq := "-"
	if e.Seq > 0 {
		seq = fmt.Sprint(e.Seq)
	}
	text := session.Describe(e)
	if method != "" {
		text = method + " " + text
	}
	return fmt.Sprintf("%s %s %s %s", seq, appendClock(nil, row.T), direction(row.Kind), text)
}

// target is how the flags of our commands name what was debugged. Values of
// variables are not in a log: they stand as ${NAME} in the command.
func target(h session.Header) []string {
	var words []string
	if h.Host != "" {
		words = append(words, "--ssh", h.Host)
	}
	if h.Cwd != "" {
		words = append(words, "-C", h.Cwd)
	}
	return append(append(words, "--"), h.Argv...)
}

// callLine is the command line of ours that makes a request again.
func callLine(h session.Header, method string, params []byte) (string, error) {
	words := []string{"mcpdbg", "call"}
	var call struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	switch {
	case method == mcp.MethodToolsCall && json.Unmarshal(params, &call) == nil && call.Name != "":
		words = append(words, "--tool", call.Name)
		params = call.Arguments
	default:
		words = append(words, method)
	}
	if len(params) > 0 && string(params) != "{}" {
		words = append(words, "--params", string(params))
	}
	return shellWords(append(words, target(h)...)), nil
}

// reproduceRows is how many rows are looked at in one go for a handshake.
const reproduceRows = 4096

// reproduce is a shell command that starts the server and sends it what a message
// needs: the handshake of its process, and the message. What a client answers on
// the way is not sent: it depends on the server.
func reproduce(source session.Source, row session.Row) (string, error) {
	h := source.Header()
	if h.Host != "" {
		return "", fmt.Errorf("the server ran on %s: take the line of mcpdbg call", h.Host)
	}
	lines, err := handshakeLines(source, row)
	if err != nil {
		return "", err
	}
	e, err := source.Entry(row, 0)
	if err != nil {
		return "", err
	}
	lines = append(lines, e.Payload)
	var b strings.Builder
	b.WriteString("{ printf '%b\\n'")
	for _, line := range lines {
		b.WriteString(" " + printfWord(line))
	}
	b.WriteString("; sleep 2; } | ")
	if h.Cwd != "" {
		b.WriteString("(cd " + shellWord(h.Cwd) + " && " + shellWords(h.Argv) + ")")
	} else {
		b.WriteString(shellWords(h.Argv))
	}
	return b.String(), nil
}

// handshakeLines are initialize and notifications/initialized, as they were sent
// to the process that a row belongs to. The modern era has none.
func handshakeLines(source session.Source, row session.Row) (lines [][]byte, err error) {
	if row.Msg == framing.Request && source.Method(row.Method) == mcp.MethodInitialize {
		return nil, nil
	}
	block := make([]session.Row, reproduceRows)
	first := 0
	for n := source.Rows(first, block); n > 0; n = source.Rows(first, block) {
		for _, r := range block[:n] {
			if r.Off >= row.Off {
				return lines, nil
			}
			if r.Run != row.Run || r.Kind != session.KindStdin {
				continue
			}
			if method := source.Method(r.Method); method == mcp.MethodInitialize || method == mcp.MethodInitialized {
				e, err := source.Entry(r, 0)
				if err != nil {
					return nil, err
				}
				lines = append(lines, e.Payload)
			}
			if len(lines) == 2 {
				return lines, nil
			}
		}
		first += n
	}
	return lines, nil
}

// printfWord writes bytes as an argument that printf %b turns back into them.
func printfWord(line []byte) string {
	var b strings.Builder
	for _, c := range line {
		switch {
		case c == '\\':
			b.WriteString(`\\`)
		case c < 0x20 || c >= 0x7f:
			fmt.Fprintf(&b, `\0%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return shellWord(b.String())
}

// clientConfig is what a client wants to know to start the server, in the form
// that most of them read. Secrets stand as ${NAME}, as in the log.
func clientConfig(h session.Header) (string, error) {
	type server struct {
		Command string   `json:"command"`
		Args    []string `json:"args,omitempty"`
		Cwd     string   `json:"cwd,omitempty"`
		SSH     string   `json:"ssh,omitempty"` // ours
	}
	if len(h.Argv) == 0 {
		return "", errors.New("the log names no command")
	}
	name := strings.TrimPrefix(windowTitle(h.Argv[0]), "mcpdbg ")
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	config := map[string]map[string]server{"mcpServers": {name: {h.Argv[0], h.Argv[1:], h.Cwd, h.Host}}}
	text, err := json.MarshalIndent(config, "", "  ")
	return string(text) + "\n", err
}
