package surface

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"mcpdbg/framing"
	"mcpdbg/recordings/match"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// A MissingError describes what a recording or a document lacks for an
// surface.
type MissingError struct {
	Path   string // of the file, "" for a source
	Reason string // such as "no answered handshake"
	Hint   string // what to try
}

func (e *MissingError) Error() string {
	if e.Path == "" {
		return "no baseline: " + e.Reason
	}
	return fmt.Sprintf("no baseline in %s: %s", e.Path, e.Reason)
}

// recordingHint is a hint about where to get a complete recording.
const recordingHint = "use the recording of a target that passed mcpdbg smoke"

// fromSource uses the last handshake, and for each list the last complete one, of
// whichever process. A session without a handshake, or without any list, is a
// *MissingError; other errors come from reading.
func fromSource(ctx context.Context, src session.Source) (*Surface, error) {
	r := reading{src: src, walks: map[string]*walk{}, done: map[mcp.List][]json.RawMessage{}}
	if err := match.Walk(ctx, src, r.item); err != nil {
		return nil, fmt.Errorf("read the lists of a recording: %w", err)
	}
	if r.server == nil {
		return nil, &MissingError{Reason: "no answered handshake", Hint: recordingHint}
	}
	if len(r.done) == 0 {
		return nil, &MissingError{Reason: "no complete list (such as tools/list)", Hint: recordingHint}
	}
	return New(*r.server, r.done), nil
}

type reading struct {
	src    session.Source
	server *session.Server
	walks  map[string]*walk // by method
	done   map[mcp.List][]json.RawMessage
}

const maxWalk = 64 << 20

// A walk is a list that is read page by page.
type walk struct {
	items []json.RawMessage
	bytes int
	next  string // cursor of the next page
}

func (r *reading) item(it *match.Item) error {
	if it.Kind != match.ItemResponse || it.FromClient || !it.HasOf || it.State != session.ReqNone || it.Msg.Kind != framing.Response {
		return nil
	}
	list, isList := mcp.ListOf(it.Method)
	switch {
	case isList:
		request, err := match.Read(r.src, it.Of, nil)
		if err != nil {
			return err
		}
		r.page(list, it.Era, match.Member(request.RawParams(), "cursor"), it.Msg.RawResult())
	case it.Handshake && !it.Probe:
		r.handshake(it.Era, bytes.Clone(it.Msg.RawResult()))
	}
	return nil
}

func (r *reading) handshake(era mcp.Era, result []byte) {
	info := match.Member(result, "serverInfo")
	if info == nil {
		info = match.Member(match.Member(result, "_meta"), mcp.MetaServerInfo)
	}
	text := func(object []byte, name string) string {
		text, _ := match.Text(match.Member(object, name))
		return text
	}
	s := &session.Server{
		Era: era, Name: text(info, "name"), Version: text(info, "version"), Protocol: text(result, "protocolVersion"),
		Capabilities: match.Member(result, "capabilities"), Instructions: text(result, "instructions"),
	}
	if supported := match.Member(result, "supportedVersions"); supported != nil {
		var versions []string
		if json.Unmarshal(supported, &versions) == nil {
			s.Protocol, _ = mcp.Newest(versions)
		}
	}
	r.server = s
}

// page takes a page, and after the last one the complete list. Pages outside a walk, such
// as repeated ones, are ignored.
func (r *reading) page(list mcp.List, era mcp.Era, cursor, result []byte) {
	w := r.walks[list.Method]
	if cursor == nil {
		w = &walk{}
		r.walks[list.Method] = w
	} else if text, _ := match.Text(cursor); w == nil || text != w.next {
		return
	}
	var page []json.RawMessage
	w.bytes += len(result)
	if w.bytes > maxWalk || json.Unmarshal(match.Member(result, list.Member), &page) != nil {
		delete(r.walks, list.Method)
		return
	}
	w.items = append(w.items, page...)
	next, more := match.Text(match.Member(result, "nextCursor"))
	if more && (next != "" || era == mcp.Modern) {
		w.next = next
		return
	}
	r.done[list] = w.items
	delete(r.walks, list.Method)
}
