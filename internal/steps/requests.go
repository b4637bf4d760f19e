package steps

import (
	"context"
	"errors"
	"fmt"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// Declared returns the lists that a server declares.
func Declared(server *session.Server) []mcp.List {
	var lists []mcp.List
	for _, list := range mcp.Lists {
		if len(server.Capabilities) > 0 && server.Offers(list) {
			lists = append(lists, list)
		}
	}
	return lists
}

// NoTemplates reports whether an error means that a server has resources and no
// templates: the capability covers resources in general.
func NoTemplates(list mcp.List, err error) bool {
	var answer *session.RPCError
	return list.Name == "templates" && errors.As(err, &answer) && answer.Code == mcp.CodeMethodNotFound
}

// Ping sends a request that every server answers without further work. The modern
// era has no ping.
func Ping(ctx context.Context, s *session.Session, opts session.CallOptions) error {
	method := mcp.MethodPing
	if s.Status().Server.Era == mcp.Modern {
		method = mcp.MethodDiscover
	}
	answer, err := s.Request(ctx, method, nil, opts)
	if err == nil && answer.Error != nil {
		err = answer.Error
	}
	if err == nil || errors.Is(err, session.ErrTimeout) { // which names the method
		return err
	}
	return fmt.Errorf("%s: %w", method, err)
}
