package workspace

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
	// maxHandshake is how many bytes of a handshake's message are read.
	maxHandshake = 1 << 20
	// maxOutputRows is how many rows after a start are searched for the first output.
	maxOutputRows = 256
	maxNames      = 20
	// maxServerText is how many bytes of each text are kept.
	maxServerText = 200
)

// A Server is the server by the latest handshake in a log. All texts are untrusted.
type Server struct {
	Name, Version, Title string

	Protocol string // agreed, or ""
	Era      mcp.Era
	Asked    string // the newest revision requested
	Probed   bool   // requested with server/discover, unknown to an older server
	Answered bool   // with a result
	Refused  bool   // with an error
	Method   string // of the request that decided the handshake, or ""

	Offers []string // the server's capabilities, sorted
	Gives  []string // the client's; of elicitation with its modes

	Output int64 // when the first line on stdout came after the start, or 0
}

// Has reports whether the server has declared a capability.
func (s *Server) Has(capability string) bool { return slices.Contains(s.Offers, capability) }

type serverKey struct {
	source      session.Source
	first, last uint32
	pair        uint32 // of the last request
	start       int    // row of the start
	rows        int    // of the log, until there is output
}

type knownServer struct {
	key    serverKey
	server Server
}

// Server reads the handshake again only if it has changed.
func (w *Workspace) Server() *Server {
	p := w.Shown
	key := serverKey{source: p.Source, start: p.Lifecycle.Row}
	shake, shaken := p.Index.Exchanges.LatestHandshake()
	if shaken {
		last, _ := p.Rows.At(int(shake.Last))
		key.first, key.last, key.pair = shake.First, shake.Last, last.Related
	}
	if p.server.server.Output == 0 {
		key.rows = min(p.Source.Len(), p.Lifecycle.Row+maxOutputRows)
	} else {
		key.rows = p.server.key.rows
	}
	if p.server.key != key {
		p.server = knownServer{key: key}
		if shaken {
			p.readHandshake(shake, &p.server.server)
		}
		p.server.server.Output = p.firstOutput()
	}
	return &p.server.server
}

func (p *Projection) readHandshake(h Handshake, s *Server) {
	for _, number := range []uint32{h.First, h.Last} {
		row, ok := p.Rows.At(int(number))
		if !ok || row.Kind != session.KindStdin {
			continue
		}
		s.Method = p.Source.Method(row.Method)
		if e, err := p.Source.Entry(row, maxHandshake); err == nil && !e.Cut {
			s.request(s.Method, e.Msg.Params.Of(e.Payload))
		}
		response, ok := p.Rows.PartnerOf(row)
		if number != h.Last || !ok {
			continue
		}
		if s.Refused = response.Msg == framing.ErrorResponse; s.Refused {
			continue
		}
		if e, err := p.Source.Entry(response, maxHandshake); err == nil && !e.Cut {
			s.response(e.Msg.Result.Of(e.Payload))
		}
	}
}

// request takes the client's part. The first request counts for the revision, the last
// one for the capabilities.
func (s *Server) request(method string, params []byte) {
	var r struct {
		ProtocolVersion string                     `json:"protocolVersion"`
		Capabilities    map[string]json.RawMessage `json:"capabilities"`
		Meta            map[string]json.RawMessage `json:"_meta"`
	}
	if json.Unmarshal(params, &r) != nil {
		return
	}
	if method == mcp.MethodDiscover {
		_ = json.Unmarshal(r.Meta[mcp.MetaProtocolVersion], &r.ProtocolVersion)
		_ = json.Unmarshal(r.Meta[mcp.MetaClientCapabilities], &r.Capabilities)
		s.Probed = true
	}
	if s.Asked == "" {
		s.Asked = wording.Clip(r.ProtocolVersion, maxServerText, wording.Dots)
	}
	s.Gives = namesOf(r.Capabilities)
	for i, name := range s.Gives {
		var modes map[string]json.RawMessage
		if name == "elicitation" && json.Unmarshal(r.Capabilities[name], &modes) == nil && len(modes) > 0 {
			s.Gives[i] = wording.Clip(name+" "+strings.Join(namesOf(modes), "+"), maxServerText, wording.Dots)
		}
	}
}

func (s *Server) response(result []byte) {
	type info struct{ Name, Title, Version string }
	var r struct {
		ProtocolVersion   string                     `json:"protocolVersion"`
		SupportedVersions []string                   `json:"supportedVersions"`
		ServerInfo        info                       `json:"serverInfo"`
		Capabilities      map[string]json.RawMessage `json:"capabilities"`
		Meta              map[string]json.RawMessage `json:"_meta"`
	}
	if json.Unmarshal(result, &r) != nil {
		return
	}
	s.Answered, s.Protocol, s.Era = true, r.ProtocolVersion, mcp.Legacy
	if s.Method == mcp.MethodDiscover {
		s.Protocol, s.Era = "", mcp.Modern
		s.Protocol, _ = mcp.Newest(r.SupportedVersions)
		_ = json.Unmarshal(r.Meta[mcp.MetaServerInfo], &r.ServerInfo)
	}
	s.Protocol = wording.Clip(s.Protocol, maxServerText, wording.Dots)
	s.Name, s.Version = wording.Clip(r.ServerInfo.Name, maxServerText, wording.Dots), wording.Clip(r.ServerInfo.Version, maxServerText, wording.Dots)
	s.Title = wording.Clip(r.ServerInfo.Title, maxServerText, wording.Dots)
	s.Offers = namesOf(r.Capabilities)
}

func namesOf(object map[string]json.RawMessage) []string {
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, wording.Clip(name, maxServerText, wording.Dots))
	}
	slices.Sort(names)
	return names[:min(len(names), maxNames)]
}

// firstOutput returns the time of the first line on stdout after the start, or 0.
func (p *Projection) firstOutput() int64 {
	for number := p.Lifecycle.Row; number < p.Lifecycle.Row+maxOutputRows; number++ {
		row, ok := p.Rows.At(number)
		if !ok {
			return 0
		}
		if row.Kind == session.KindStdout {
			return row.T
		}
	}
	return 0
}
