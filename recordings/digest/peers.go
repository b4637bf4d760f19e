package digest

import (
	"encoding/json"
	"slices"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

const (
	maxPeers = 8
	// maxName is how much of a name of a program is shown, in bytes.
	maxName = 100
)

// A Peer is the server of a handshake.
type Peer struct {
	Server   string `json:"server,omitempty"` // its name and version
	Era      string `json:"era,omitempty"`
	Protocol string `json:"protocol,omitempty"` // revision
}

// String names the server and the revision.
func (p *Peer) String() string { return strings.Join(strings.Fields(p.Server+" "+p.Protocol), " ") }

// Peers are the programs that a log is of.
type Peers struct {
	Servers []Peer
	Client  string // the name and the version that it sends first
	asked   bool   // for the server, which Servers has only if the log has no state of it
	heard   Peer
}

// Add adds what a row says of them.
func (p *Peers) Add(src session.Source, row session.Row) {
	switch {
	case row.Kind == session.KindState:
		var b session.StateBody
		e, err := src.Entry(row, 0)
		if err == nil && e.DecodeBody(&b) == nil && b.State == string(session.Ready) {
			p.add(Peer{b.Server, b.Era, b.Protocol})
		}
	case row.Msg == framing.Request && row.Kind == session.KindStdin && p.Client == "":
		var m struct{ Params hello }
		if p.read(src, row, &m) {
			p.Client = m.Params.name()
		}
	case row.Msg == framing.Response && row.Kind == session.KindStdout && !p.asked:
		var m struct{ Result hello }
		if p.read(src, row, &m) && m.Result.name() != "" {
			p.heard, p.asked = Peer{Server: m.Result.name(), Protocol: m.Result.ProtocolVersion}, true
		}
	}
}

// End adds the server that only its messages name.
func (p *Peers) End() {
	if len(p.Servers) == 0 && p.asked {
		p.add(p.heard)
	}
}

func (p *Peers) add(peer Peer) {
	if len(p.Servers) < maxPeers && !slices.Contains(p.Servers, peer) {
		p.Servers = append(p.Servers, peer)
	}
}

func (p *Peers) read(src session.Source, row session.Row, into any) bool {
	if method := src.Method(row.Method); method != mcp.MethodInitialize && method != mcp.MethodDiscover {
		return false
	}
	e, err := src.Entry(row, nameBytes)
	return err == nil && json.Unmarshal(e.Payload, into) == nil
}

// A hello is the params or the result of a handshake.
type hello struct {
	ProtocolVersion        string
	ClientInfo, ServerInfo program
	Meta                   struct {
		Client program `json:"io.modelcontextprotocol/clientInfo"`
		Server program `json:"io.modelcontextprotocol/serverInfo"`
	} `json:"_meta"`
}

type program struct{ Name, Version string }

func (h *hello) name() string {
	for _, p := range []program{h.ClientInfo, h.ServerInfo, h.Meta.Client, h.Meta.Server} {
		if p.Name != "" {
			return wording.Clip(wording.Join(" ", p.Name, p.Version), maxName, wording.Ellipsis)
		}
	}
	return ""
}
