package session

import (
	"context"
	"encoding/json"
	"fmt"

	"mcpdbg/session/mcp"
)

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
