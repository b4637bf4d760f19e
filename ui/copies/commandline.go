package copies

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/session/via"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/workspace"
)

// CallLine returns the mcpdbg command line that makes a request again.
func CallLine(h session.Header, method string, params []byte) (string, error) {
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
	words = append(append(words, h.Flags()...), "--") // values of variables are not in a log: the command has ${NAME}
	return kit.QuoteWords(append(words, h.Argv...)), nil
}

const reproduceRows = 4096

// reproduce returns a shell command that starts the server and sends it the
// handshake of the message's process, and the message. Responses of the client in
// between are not sent: they depend on the server.
func reproduce(h session.Header, source session.Source, row session.Row) (string, error) {
	if place := via.Where(h.ExecServer, h.Via, h.Host); place != "" {
		return "", fmt.Errorf("the server ran on %s: use the mcpdbg call command line", place)
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
		b.WriteString("(cd " + kit.QuoteWord(h.Cwd) + " && " + kit.QuoteWords(h.Argv) + ")")
	} else {
		b.WriteString(kit.QuoteWords(h.Argv))
	}
	return b.String(), nil
}

// handshakeLines returns initialize and notifications/initialized as they were
// sent to the process of a row. The modern era has no handshake.
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
	return kit.QuoteWord(b.String())
}

// clientConfig returns the configuration with which a client starts the server,
// in the form that most clients read. Secrets appear as ${NAME}, as in the log.
func clientConfig(h session.Header) (string, error) {
	type server struct {
		Command string   `json:"command"`
		Args    []string `json:"args,omitempty"`
		Cwd     string   `json:"cwd,omitempty"`
		SSH     string   `json:"ssh,omitempty"` // extensions of mcpdbg
		Via     []string `json:"via,omitempty"`
	}
	if len(h.Argv) == 0 {
		return "", errors.New("the log has no command")
	}
	if h.ExecServer != "" {
		return "", fmt.Errorf("the server ran on %s, which config files do not name", via.Where(h.ExecServer, h.Via, h.Host))
	}
	name := strings.TrimPrefix(workspace.WindowTitle(h.Argv[0]), "mcpdbg ")
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	config := map[string]map[string]server{"mcpServers": {name: {h.Argv[0], h.Argv[1:], h.Cwd, h.Host, h.Via}}}
	text, err := json.MarshalIndent(config, "", "  ")
	return string(text) + "\n", err
}
