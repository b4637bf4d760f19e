package compare

import (
	"mcpdbg/recordings/match"
)

// A usePlace is a place where a client sent a value that it got from the server.
type usePlace struct {
	place
	pointer match.Pointer
}

// carried reports whether two strings of params are values that both clients got
// from the server, in the same place of messages of the same method. Then the server
// chose different values, and the requests are the same.
func (c *comparer) carried(path []string, a, b []byte) bool {
	if !c.label.fromClient || len(a) == 0 || len(b) == 0 || a[0] != '"' || b[0] != '"' {
		return false
	}
	pointer := match.PointerTo(path...)
	from := c.origin(0, c.a, &c.a.records[c.i], pointer)
	return from != "" && from == c.origin(1, c.b, &c.b.records[c.j], pointer)
}

// origin returns the place where a client got a value from, "" if it was its own. The
// first call finds all variables of the session.
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
				c.origins[which][usePlace{place{use.At.Row, use.At.Member}, use.Pointer}] = from
			}
		}
	}
	return c.origins[which][usePlace{place{int(r.row), int(r.member)}, pointer}]
}
