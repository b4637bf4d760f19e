package workspace

import (
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/tap"
)

// tapFacts are what the notes of a tap say.
type tapFacts struct {
	client    string // name and version, "" before its handshake
	clientRow int
}

// noted takes in a note.
func (x *Exchanges) noted(number uint32, row *session.Row) {
	if x.rows.Source.Header().Mode != session.ModeTap {
		return
	}
	if client := tap.ClientOf(x.rows.Source, *row); client != "" {
		x.tap = tapFacts{client, int(number)}
		return
	}
	restart, ok := tap.RestartOf(x.rows.Source, *row)
	if last := len(x.exits) - 1; ok && last >= 0 && x.exits[last].Next.Seen {
		x.exits[last].Restart, x.exits[last].restarted = &restart, int(number)
	}
}

// Tap reports whether the log is that of a tap: a client has sent what we send in others.
func (p *Projection) Tap() bool { return p.Source.Header().Mode == session.ModeTap }

// Client returns the name and version of the client of a tap, or "the client".
func (p *Projection) Client() string {
	if client := p.Index.Exchanges.tap.client; client != "" {
		return client
	}
	return "the client"
}

// ClientName returns Client without the version.
func (p *Projection) ClientName() string {
	name := p.Client()
	if at := strings.LastIndexByte(name, ' '); at > 0 && name != "the client" {
		return name[:at]
	}
	return name
}

// User returns the word for the sender of requests: "you", or "the client".
func (p *Projection) User() string {
	if p.Tap() {
		return "the client"
	}
	return "you"
}

// LostPID returns the process whose state is lost because a tap started another one in its
// place, 0 without one.
func (p *Projection) LostPID() int {
	exits := p.Index.Exchanges.exits
	for i := len(exits) - 1; i >= 0 && p.Tap(); i-- {
		if exits[i].NextPID != 0 {
			return exits[i].PID
		}
	}
	return 0
}

// SentByTap reports whether an entry is a request that no client sent. again says that the
// client sent it earlier, to a process that has ended.
func (p *Projection) SentByTap(row *session.Row, e *session.Entry) (sent, again bool) {
	if !p.Tap() || e.Cut || e.Kind != session.KindStdin || e.Msg.Kind != framing.Request || e.Seq != 0 {
		return false, false
	}
	own := tap.OwnID(e.Msg.ID.Of(e.Payload))
	return own, !own && row.Run > 1 && IsHandshake(string(e.Msg.Method.Of(e.Payload)))
}
