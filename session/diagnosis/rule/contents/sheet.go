package contents

import (
	"encoding/json"
	"fmt"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
	"mcpdbg/session/mcp/shape"
)

// A sheet is what is checked of one message: its params or its result.
type sheet struct {
	checker  *shapeChecker
	m        *message.Message
	method   string
	revision string
	name     string // of what the message is about, as message.Request.Name
	params   bool
	bare     bool // the request had no version in its _meta
}

// ofResults are the pointers to members that results of several methods have. A server
// that has one in a revision without it has it everywhere, which is one problem.
var ofResults = map[string]bool{"/resultType": true, "/ttlMs": true, "/cacheScope": true}

func (s *sheet) walk(of *shape.Shape, value []byte) {
	problems, _ := s.checker.walker.Walk(of, value, s.revision)
	for i := range problems {
		p := &problems[i]
		rule, severity := s.rule(p)
		if rule == nil {
			continue
		}
		where := s.item(p, value)
		switch {
		case p.Kind == shape.Newer && !s.params && ofResults[p.Pointer]:
			where = diagnosis.Location{Pointer: p.Pointer}
		case p.Kind == shape.Newer:
			where = s.where("", p.Pointer) // often of all items, which is one problem
		}
		s.checker.report(rule, severity, s.m.At, where, s.detail(p))
	}
}

// detail describes a problem. A newer member is not a mistake.
func (s *sheet) detail(p *shape.Problem) string {
	if p.Kind == shape.Newer {
		return p.String() + "; in " + s.revision + " it is an extra member, which is legal"
	}
	return p.String()
}

func (s *sheet) where(name, pointer string) diagnosis.Location {
	return diagnosis.Location{Method: s.method, Name: name, Pointer: pointer}
}

func (s *sheet) found(rule *diagnosis.Rule, severity diagnosis.Severity, name, pointer, detail string) {
	s.checker.report(rule, severity, s.m.At, s.where(name, pointer), detail)
}

// rule is nil for a problem of another group of rules.
func (s *sheet) rule(p *shape.Problem) (*diagnosis.Rule, diagnosis.Severity) {
	pointer := p.Pointer
	switch {
	case s.isOthers(p):
		return nil, 0
	case p.Kind == shape.Newer:
		return lif10, diagnosis.Info
	case p.Kind == shape.NewerType:
		return lif10, diagnosis.Error
	case p.Kind == shape.Deprecated:
		return mod14, mod14.Severity
	case p.Kind == shape.Misspelled:
		return sch08, sch08.Severity
	case pointer == "/resultType" && !s.params:
		return s.ofModern(mod02, p)
	case (pointer == "/ttlMs" || pointer == "/cacheScope") && !s.params:
		return s.ofModern(mod06, p)
	case p.Kind == shape.UnknownType && isContent(pointer):
		return sch03, sch03.Severity
	case s.params:
		return sch01, sch01.Severity
	}
	return sch02, sch02.Severity
}

// ofModern returns a rule about members that every result of the modern era has,
// nil while it is not clear that the server takes the request for one of that era.
func (s *sheet) ofModern(rule *diagnosis.Rule, p *shape.Problem) (*diagnosis.Rule, diagnosis.Severity) {
	switch {
	case !s.checker.modern || s.bare:
		return nil, 0
	case p.Kind == shape.UnknownType:
		return rule, diagnosis.Warning
	}
	return rule, rule.Severity
}

func isContent(pointer string) bool {
	return strings.HasSuffix(pointer, "/content/type") || strings.HasSuffix(pointer, "/content/*/type")
}

// item returns where a problem is: for one in an item of a list, where in that item.
func (s *sheet) item(p *shape.Problem, value []byte) diagnosis.Location {
	where := s.where(clipShape(s.name), p.Pointer)
	where.At = p.At
	list, isList := mcp.ListOf(s.method)
	if pointer, ok := strings.CutPrefix(p.Pointer, "/"+list.Member+"/*"); ok && isList && !s.params {
		if where.Name = clipShape(text(p.Item.Of(value), list.Key)); where.Name != "" {
			where.Pointer, where.At = pointer, atInItem(p)
		}
		return where
	}
	if s.params && s.name == "" {
		for _, key := range [...]string{"name", "uri"} {
			if name := text(value, key); name != "" {
				where.Name = clipShape(name)
				return where
			}
		}
	}
	return where
}

// atInItem returns where in an item of a list a problem is, "" if its pointer into the
// item has no *.
func atInItem(p *shape.Problem) string {
	parts := strings.SplitN(p.At, "/", 4) // "", the member, the index, the rest
	if len(parts) < 4 || strings.Count(p.Pointer, "/*") < 2 {
		return ""
	}
	return "/" + parts[3]
}

func text(object []byte, member string) (s string) {
	if json.Unmarshal(message.Member(object, member), &s) != nil {
		return ""
	}
	return s
}

func clipShape(name string) string { return wording.ClipValid(name, maxName, wording.Ellipsis) }

// maxScope is how many bytes of a cacheScope are compared: the known ones are shorter.
const maxScope = 64

// cacheScopes has the cacheScope of the first page of each list, by method.
type cacheScopes map[string]string

// page checks that a page of a list has the cacheScope of the first page: a client
// may cache them together.
func (s *sheet) page(request *message.Request, result []byte) {
	if _, isList := mcp.ListOf(s.method); !isList || !s.m.FromServer || !mcp.IsModern(s.revision) {
		return
	}
	raw := message.Member(result, "cacheScope")
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
