package shapes

import (
	"fmt"

	"mcpdbg/framing"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

// maxScope is how many bytes of a cacheScope are compared: the known ones are shorter.
const maxScope = 64

// cacheScopes has the cacheScope of the first page of each list, by method.
type cacheScopes map[string]string

// page checks that a page of a list has the cacheScope of the first page: a client
// may cache them together.
func (s *sheet) page(request *message.Request, result []byte) {
	if !s.m.FromServer || !mcp.IsModern(s.revision) || !isList(s.method) {
		return
	}
	raw := framing.Member(result, "cacheScope").Of(result)
	scope := string(raw[:min(len(raw), maxScope)])
	if request.Cursor == "" {
		if s.checker.scopes == nil {
			s.checker.scopes = cacheScopes{}
		}
		s.checker.scopes[s.method] = scope
		return
	}
	if first := s.checker.scopes[s.method]; first != "" && scope != "" && scope != first {
		s.found(mod06, mod06.Severity, "", "/cacheScope", fmt.Sprintf("cacheScope is %s on this page, and %s on the first", scope, first))
	}
}

// isList reports whether a method requests a list, which may have pages.
func isList(method string) bool {
	for _, list := range mcp.Lists {
		if list.Method == method {
			return true
		}
	}
	return false
}
