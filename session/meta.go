package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// FillMeta returns a line with the members of _meta that every request of the
// modern era has. All other bytes are kept. It returns the line itself if the
// server is of the legacy era, if the line is not a request, or if it names a
// revision in its _meta.
func (s *Session) FillMeta(line []byte) []byte {
	meta := s.requestMeta("", CallOptions{})
	m := framing.Scan(line)
	if meta == nil || m.Kind != framing.Request || string(m.Method.Of(line)) == mcp.MethodInitialize {
		return line
	}
	params := m.Params
	if params == (framing.Span{}) {
		end := bytes.LastIndexByte(line, '}')
		return slices.Concat(line[:end], []byte(`,"params":{"_meta":`), encoded(meta), []byte(`}`), line[end:])
	}
	begin := int(params.Start)
	if line[begin] != '{' {
		return line
	}
	given := framing.Member(params.Of(line), "_meta")
	if given == (framing.Span{}) {
		return insert(line, begin+1, params.Of(line)[1:], append([]byte(`"_meta":`), encoded(meta)...))
	}
	begin += int(given.Start)
	object := given.Of(params.Of(line))
	if object[0] != '{' || framing.Member(object, mcp.MetaProtocolVersion) != (framing.Span{}) {
		return line
	}
	maps.DeleteFunc(meta, func(name string, _ any) bool { return framing.Member(object, name) != (framing.Span{}) })
	members := encoded(meta)
	return insert(line, begin+1, object[1:], members[1:len(members)-1])
}

// insert returns line with members of an object at an offset; rest is what follows the
// brace of the object.
func insert(line []byte, at int, rest, members []byte) []byte {
	if rest := bytes.TrimLeft(rest, " \t\r\n"); len(rest) > 0 && rest[0] != '}' {
		members = append(members, ',')
	}
	return slices.Concat(line[:at], members, line[at:])
}

func encoded(meta map[string]any) []byte {
	b, _ := json.Marshal(meta) // texts and capabilities, which were encoded before
	return b
}

// Logs reports whether the server has declared that it sends log messages. A server
// with unknown capabilities may do so.
func (s *Server) Logs() bool { return s.declares("logging") }

// SetLogLevel sets the least severe level of the log messages that the server should
// send, one of mcp.LogLevels: in the legacy era with logging/setLevel, in the modern
// era in the _meta of all further requests. There, "" asks for no log messages, which
// is the default. The level lasts until the process ends. The error is that of
// Request, or an *RPCError.
func (s *Session) SetLogLevel(ctx context.Context, level string) error {
	if s.era() == mcp.Modern {
		s.setLevel(level)
		return nil
	}
	params, err := json.Marshal(map[string]string{"level": level})
	if err != nil {
		return fmt.Errorf("log level: %w", err)
	}
	resp, err := s.Request(ctx, mcp.MethodSetLevel, params, CallOptions{})
	if err == nil && resp.Error != nil {
		err = resp.Error
	}
	return err
}

func (s *Session) setLevel(level string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.logLevel = level
}
