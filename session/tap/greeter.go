package tap

import (
	"encoding/json"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// NoteClient is the code of the note that names the client. Its data are the name and the
// version that the client gave.
const NoteClient = "tap.client"

const (
	// greetings is how many requests of a client are searched for its name.
	greetings = 16
	// maxName is how many bytes of a name are kept.
	maxName = 200
)

// A greeter reads in the handshake who the client and the server are, as a session
// records it.
type greeter struct {
	looked  int
	id      string // of the open initialize or server/discover; raw
	method  string
	version string // that the client asked for
}

// greeted is what both sides say of themselves in params, results and their _meta.
type greeted struct {
	ProtocolVersion string                     `json:"protocolVersion"`
	ClientInfo      json.RawMessage            `json:"clientInfo"`
	ServerInfo      json.RawMessage            `json:"serverInfo"`
	Meta            map[string]json.RawMessage `json:"_meta"`
}

type implementation struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

func (i implementation) String() string { return wording.Join(" ", i.Name, i.Version) }

// look returns an entry about the sender if the message of an entry has one.
func (g *greeter) look(e *session.Entry) (about session.Entry, found bool) {
	switch {
	case e.Kind == session.KindStdin && e.Msg.Kind == framing.Request:
		return g.request(e)
	case e.Kind == session.KindStdout && e.Msg.Kind == framing.Response && g.id != "" && string(e.Msg.ID.Of(e.Payload)) == g.id:
		return g.result(e.Msg.Result.Of(e.Payload))
	}
	return about, false
}

func (g *greeter) request(e *session.Entry) (note session.Entry, found bool) {
	method := string(e.Msg.Method.Of(e.Payload))
	handshake := method == mcp.MethodInitialize || method == mcp.MethodDiscover
	if g.looked >= greetings && !handshake {
		return note, false
	}
	said, ok := readGreeting(e.Msg.Params.Of(e.Payload))
	if !ok {
		return note, false
	}
	if handshake {
		g.id, g.method, g.version = string(e.Msg.ID.Of(e.Payload)), method, said.ProtocolVersion
		if method == mcp.MethodDiscover {
			_ = json.Unmarshal(said.Meta[mcp.MetaProtocolVersion], &g.version) // else unknown
		}
	}
	if g.looked >= greetings {
		return note, false
	}
	g.looked++
	client := readName(said.ClientInfo, said.Meta[mcp.MetaClientInfo])
	if client.Name == "" {
		return note, false
	}
	g.looked = greetings
	data, _ := json.Marshal(client) // strings always encode
	return session.NewEntry(session.KindNote, 0, session.NoteBody{Code: NoteClient, Text: "client: " + client.String(), Data: data}), true
}

func (g *greeter) result(result []byte) (state session.Entry, found bool) {
	g.id = ""
	said, ok := readGreeting(result)
	if !ok {
		return state, false
	}
	body := session.StateBody{State: string(session.Ready), Era: string(mcp.Legacy), Protocol: cut(said.ProtocolVersion)}
	if g.method == mcp.MethodDiscover {
		body.Era, body.Protocol = string(mcp.Modern), cut(g.version)
	}
	body.Server = readName(said.ServerInfo, said.Meta[mcp.MetaServerInfo]).String()
	return session.NewEntry(session.KindState, 0, body), true
}

func readGreeting(object []byte) (said greeted, ok bool) {
	picked := framing.Pick(object, "protocolVersion", "clientInfo", "serverInfo", "_meta")
	return said, json.Unmarshal(picked, &said) == nil
}

// readName returns the first name in the objects.
func readName(objects ...json.RawMessage) (name implementation) {
	for _, object := range objects {
		if json.Unmarshal(object, &name) == nil && name.Name != "" {
			return implementation{cut(name.Name), cut(name.Version)}
		}
	}
	return implementation{}
}

func cut(name string) string {
	return strings.ToValidUTF8(name[:min(len(name), maxName)], "")
}

// ClientOf returns the name of the client if the row is the note that has it, else "".
func ClientOf(src session.Source, row session.Row) string {
	var note session.NoteBody
	var client implementation
	e, err := src.Entry(row, 0)
	if err != nil || row.Kind != session.KindNote || e.DecodeBody(&note) != nil || note.Code != NoteClient || json.Unmarshal(note.Data, &client) != nil {
		return ""
	}
	return client.String()
}
