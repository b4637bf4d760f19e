package send

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/workspace"
)

// A preset is an invalid message that servers should survive.
type preset struct {
	name string
	make func(message []byte, pending string) []byte
}

// longLine is the length of the preset with a long line, in bytes.
const longLine = 1 << 20

// Each is made from a valid message and the id of a pending request.
var presets = []preset{
	{"half a message, no newline", func(m []byte, _ string) []byte { return m[:len(m)/2] }},
	{"no newline", func(m []byte, _ string) []byte { return m }},
	{"CRLF at the end", func(m []byte, _ string) []byte { return append(m, "\r\n"...) }},
	{"bad UTF-8 in a string", func([]byte, string) []byte {
		return []byte("{\"jsonrpc\":\"2.0\",\"id\":\"bad-utf-8\",\"method\":\"ping\",\"params\":{\"text\":\"\xff\xfe\"}}\n")
	}},
	{"id of a pending request", func(_ []byte, pending string) []byte {
		return []byte(`{"jsonrpc":"2.0","id":` + pending + `,"method":"ping"}` + "\n")
	}},
	{"batch", func(m []byte, _ string) []byte {
		return []byte("[" + string(m) + `,{"jsonrpc":"2.0","id":"batch-2","method":"ping"}]` + "\n")
	}},
	{"empty batch", func([]byte, string) []byte { return []byte("[]\n") }},
	{"1M line", func([]byte, string) []byte {
		return []byte(`{"jsonrpc":"2.0","id":"long-line","method":"ping","params":{"pad":"` + strings.Repeat("x", longLine) + `"}}` + "\n")
	}},
	{"byte order mark", func(m []byte, _ string) []byte { return append(append([]byte("\xef\xbb\xbf"), m...), '\n') }},
	{"message on two lines", func(m []byte, _ string) []byte {
		at := bytes.IndexByte(m, ',') + 1
		return append(append(append(bytes.Clone(m[:at]), '\n'), m[at:]...), '\n')
	}},
	{"Language Server Protocol header", func(m []byte, _ string) []byte {
		return fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(m), m)
	}},
	{"empty line", func([]byte, string) []byte { return []byte("\n") }},
	{"id null", func([]byte, string) []byte { return []byte(`{"jsonrpc":"2.0","id":null,"method":"ping"}` + "\n") }},
	{"not JSON", func([]byte, string) []byte { return []byte("hello\n") }},
}

type presetList struct {
	host.Menu
	into *Composer
}

// presetsWidth is the width of the list including its border.
const presetsWidth = 60

func (p *Composer) openPresets(c host.Context) tea.Cmd {
	list := &presetList{Menu: host.Menu{Of: ScopePresets}, into: p}
	names := make([]string, len(presets))
	for i, preset := range presets {
		names[i] = preset.name
	}
	list.Set(names)
	c.Host.Open(c.Workspace, list)
	return nil
}

func (l *presetList) Draw(c host.Context) {
	l.Box(c, presetsWidth, "Malformed messages", func(l *paint.Line, i int) {
		l.Text(paint.Style{}, presets[i].name)
	})
}

// takePreset puts the preset into the composer. It is made from the message there,
// if that is valid.
func takePreset(c host.Context, l *presetList) tea.Cmd {
	i, ok := l.Current()
	c.Host.Close(l)
	if !ok {
		return nil
	}
	p := l.into
	message, err := oneLine(p.area.Value())
	if m := framing.Scan(message); err != nil || m.Kind != framing.Request {
		message = []byte(`{"jsonrpc":"2.0","id":` + p.nextID() + `,"method":"` + mcp.MethodPing + `"}`)
	}
	pending, err := pendingID(c.Workspace)
	if err != nil {
		pending = `"mcpdbg-1"` // at least one that was used before
	}
	p.remember(draftRaw, p.raw.Value())
	p.raw.SetValue(escapeBytes(presets[i].make(bytes.Clone(message), pending)))
	c.Host.Redraw()
	return p.keepLater(c)
}

var errNonePending = errors.New("there is no pending request")

// pendingID returns the id of the latest pending request to the server.
func pendingID(w *workspace.Workspace) (string, error) {
	const far = 10_000 // rows back
	for number := w.Shown.Source.Len() - 1; number >= max(0, w.Shown.Source.Len()-far); number-- {
		row, ok := w.Shown.Rows.At(number)
		if !ok || row.Kind != session.KindStdin || row.State != session.ReqPending || row.Len > workspace.InlineLimit {
			continue
		}
		if e, err := w.Shown.Source.Entry(row, 0); err == nil {
			return string(e.Msg.ID.Of(e.Payload)), nil
		}
	}
	return "", errNonePending
}
