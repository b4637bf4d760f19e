package compare

import (
	"mcpdbg/recordings/match"
)

// A usePlace is where a client sent a value that it had from the server.
type usePlace struct {
	place
	pointer match.Pointer
}

// carried tells whether two strings of params are values that both clients had
// from the server, out of answers of one kind and in one place there: then it
// is the server that named them otherwise, and the client asked the same.
func (c *comparer) carried(path []string, a, b []byte) bool {
	if !c.label.fromClient || len(a) == 0 || len(b) == 0 || a[0] != '"' || b[0] != '"' {
		return false
	}
	pointer := match.PointerTo(path...)
	from := c.origin(0, c.a, &c.a.records[c.i], pointer)
	return from != "" && from == c.origin(1, c.b, &c.b.records[c.j], pointer)
}

// origin names where a client had a value from, "" if it was its own. All of a
// session are found when the first one is asked for.
func (c *comparer) origin(which int, s *side, r *record, pointer match.Pointer) string {
	if c.origins[which] == nil {
		c.origins[which] = map[usePlace]string{}
		variables, err := match.Variables(c.ctx, s.src)
		if err != nil {
			return "" // it could be read before; then the values just differ
		}
		for _, v := range variables {
			from := v.Method + " " + string(general(v.Pointer.Tokens()))
			for _, use := range v.Uses {
				c.origins[which][usePlace{place{use.At.Row, use.At.Member}, use.Pointer}] = from
			}
		}
	}
	return c.origins[which][usePlace{place{int(r.row), int(r.member)}, pointer}]
}
