package compare

import (
	"bytes"
	"slices"
	"strings"

	"mcpdbg/recordings/match"
	"mcpdbg/session/mcp"
)

// carriedNames are members that a client only sends back unchanged.
var carriedNames = []string{"nextCursor", "requestState", "taskId", "cursor"}

// Differences are reported in the given class or in ClassEnvelope.
func (c *comparer) values(class Class, base []string, a, b []byte) {
	match.Diff(a, b, func(path []string, a, b []byte) bool {
		return c.value(class, slices.Concat(base, path), a, b)
	})
}

// value compares two values that differ, one of which may be absent, and reports whether
// to descend into both.
func (c *comparer) value(class Class, path []string, a, b []byte) (descend bool) {
	rule, exact := c.about.Rule(path), c.opts.Exact && class != ClassParams
	container := sameContainer(a, b)
	switch rule.Action {
	case match.ActionIgnore:
		if container && c.about.KeepsWithin(path) {
			return true
		}
		c.ignored(rule)
		return false
	case match.ActionMask:
		name := path[len(path)-1]
		if rule.Type.Fits(name, a) && rule.Type.Fits(name, b) {
			c.masked(rule.Type.String(), false, path, a, b)
			return false
		}
	case match.ActionNone:
		if exact && !match.EqualRedacted(a, b) {
			break
		}
		mask, guess := volatile(path, a, b)
		if mask == "" && class == ClassParams && c.carried(path, a, b) {
			mask = "carried"
		}
		if mask != "" && classAt(class, path) != ClassEnvelope {
			c.masked(mask, guess, path, a, b)
			return false
		}
	}
	switch {
	case container:
		c.byIndex(path, a, b)
		return !c.special(class, path, a, b)
	case isFalse(path, a, b):
		return false
	case isMeta(path, a, b):
		c.values(class, path, orEmpty(a), orEmpty(b))
		return false
	case c.texts(class, path, a, b, exact || rule.Action == match.ActionKeep):
		return false
	}
	c.report(Difference{Class: classAt(class, path), Change: changeOf(a, b), Pointer: match.PointerTo(path...)}, a, b)
	return false
}

// byIndex notes that the elements of two arrays are compared by index, since too many differ.
func (c *comparer) byIndex(path []string, a, b []byte) {
	if a[0] == '[' && !match.Aligns(a, b) {
		c.unaligned = match.PointerTo(path...)
	}
}

func sameContainer(a, b []byte) bool {
	return len(a) > 0 && len(b) > 0 && a[0] == b[0] && (a[0] == '{' || a[0] == '[')
}

func changeOf(a, b []byte) Change {
	switch {
	case a == nil:
		return changeAdded
	case b == nil:
		return changeRemoved
	}
	return changeChanged
}

// isFalse reports whether isError is false on one side and absent on the other, which
// means the same.
func isFalse(path []string, a, b []byte) bool {
	if path[len(path)-1] != "isError" || len(path) != 2 {
		return false
	}
	return a == nil && string(b) == "false" || b == nil && string(a) == "false"
}

// The members of a _meta object that only one side has are compared one by one, because
// they belong to several classes.
func isMeta(path []string, a, b []byte) bool {
	if len(path) != 2 || path[0] != "result" || path[1] != "_meta" {
		return false
	}
	return a == nil && b[0] == '{' || b == nil && a[0] == '{'
}

func orEmpty(object []byte) []byte {
	if object == nil {
		return []byte("{}")
	}
	return object
}

// volatile returns why two different values are treated as equal, or "", and whether that
// is a guess.
func volatile(path []string, a, b []byte) (why string, guess bool) {
	if a == nil || b == nil {
		return "", false
	}
	name := path[len(path)-1]
	if match.EqualRedacted(a, b) {
		return "redacted", false
	}
	if a[0] == '"' && b[0] == '"' && slices.Contains(carriedNames, name) {
		return "carried", false
	}
	if t := match.TypeOf(name, a); t != match.TypeNone && t == match.TypeOf(name, b) {
		return t.String(), t.IsGuess()
	}
	return "", false
}

// Some members do not reflect the behaviour of a server.
func classAt(class Class, path []string) Class {
	if class != ClassResult || len(path) < 2 || path[0] != "result" {
		return class
	}
	switch path[1] {
	case "ttlMs", "cacheScope", "resultType", "protocolVersion", "serverInfo", "supportedVersions":
		return ClassEnvelope
	case "_meta":
		if len(path) > 2 && strings.HasPrefix(path[2], "io.modelcontextprotocol/") {
			return ClassEnvelope
		}
	}
	return class
}

// special compares values with a special meaning, and reports whether it did.
func (c *comparer) special(class Class, path []string, a, b []byte) bool {
	if path[0] != "result" {
		return false
	}
	switch {
	case len(path) == 1:
		return c.result(class, path, a, b)
	case isSchema(c.label.method, path):
		c.schema(class, path, a, b)
		return true
	}
	return false
}

// result compares tool results without text that only repeats the structured content, if
// both sides have it.
func (c *comparer) result(class Class, path []string, a, b []byte) bool {
	if c.label.method != mcp.MethodToolsCall {
		return false
	}
	shortA, okA := withoutCopy(a)
	shortB, okB := withoutCopy(b)
	if !okA || !okB {
		return false
	}
	if bytes.Equal(shortA, shortB) {
		return true
	}
	match.Diff(shortA, shortB, func(inner []string, a, b []byte) bool {
		if len(inner) == 0 {
			return true
		}
		return c.value(class, slices.Concat(path, inner), a, b)
	})
	return true
}

// withoutCopy empties the content of a tool result if it is a single text block with the
// JSON of structuredContent.
func withoutCopy(result []byte) ([]byte, bool) {
	structured := match.At(result, "/structuredContent")
	content := match.At(result, "/content")
	text := match.At(result, "/content/0/text")
	if structured == nil || text == nil || match.At(result, "/content/1") != nil {
		return nil, false
	}
	if copied := match.Embedded(text); copied == nil || !bytes.Equal(copied, structured) {
		return nil, false
	}
	return bytes.Replace(result, content, []byte("[]"), 1), true
}

func isSchema(method string, path []string) bool {
	return method == mcp.MethodToolsList && len(path) == 4 && (path[3] == "inputSchema" || path[3] == "outputSchema")
}

const maxSchemaChanges = 12

// schema reports all changes of a schema as one difference.
func (c *comparer) schema(class Class, path []string, a, b []byte) {
	var detail []string
	more := 0
	match.Diff(a, b, func(inner []string, a, b []byte) bool {
		if len(inner) == 0 {
			return true
		}
		if rule := c.about.Rule(slices.Concat(path, inner)); rule.Action == match.ActionIgnore {
			c.ignored(rule)
			return false
		}
		switch {
		case sameContainer(a, b):
			return true
		case len(detail) == maxSchemaChanges:
			more++
			return false
		}
		detail = append(detail, string(match.PointerTo(inner...))+": "+arrow(a, b))
		return false
	})
	if len(detail) == 0 {
		return
	}
	if more > 0 {
		detail = append(detail, "and more")
	}
	c.report(Difference{Class: class, Change: changeSchema, Pointer: match.PointerTo(path...), Detail: detail}, nil, nil)
}

func arrow(a, b []byte) string {
	switch {
	case a == nil:
		return "added " + excerpt(b)
	case b == nil:
		return "removed " + excerpt(a)
	}
	return excerpt(a) + " -> " + excerpt(b)
}

// A usePlace is where a client sent a value that it got from the server.
type usePlace struct {
	match.Place
	pointer match.Pointer
}

// carried reports whether two strings of params are values that both clients got from the
// server, in the same place of messages of the same method: then the server chose
// different values, and the requests are the same.
func (c *comparer) carried(path []string, a, b []byte) bool {
	if !c.label.fromClient || len(a) == 0 || len(b) == 0 || a[0] != '"' || b[0] != '"' {
		return false
	}
	pointer := match.PointerTo(path...)
	from := c.origin(0, c.a, &c.a.records[c.i], pointer)
	return from != "" && from == c.origin(1, c.b, &c.b.records[c.j], pointer)
}

// origin returns where a client got a value from, "" if it was its own. The first call
// finds all variables of the session.
func (c *comparer) origin(which int, s *side, r *record, pointer match.Pointer) string {
	if c.origins[which] == nil {
		c.origins[which] = map[usePlace]string{}
		variables, err := match.Variables(c.ctx, s.src)
		if err != nil {
			return "" // not expected, as it was read before; the values then count as different
		}
		for _, v := range variables {
			from := v.Method + " " + string(general(v.Pointer.Tokens()))
			for _, use := range v.Uses {
				c.origins[which][usePlace{use.At.Place(), use.Pointer}] = from
			}
		}
	}
	return c.origins[which][usePlace{s.request(r).Place(), pointer}]
}
