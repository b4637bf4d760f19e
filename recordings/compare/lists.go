package compare

import (
	"fmt"
	"slices"

	"mcpdbg/recordings/match"
	"mcpdbg/session/mcp"
)

const maxItems = 1 << 16

// A list has the items of all pages.
type list struct {
	names []string
	items map[string][]byte
	page  map[string]int // record of the page that has the item
	seen  map[string]int // occurrences of a name
	rest  []byte         // the first page without its items
}

// lists compares item by item; page boundaries do not matter.
func (c *comparer) lists(kind mcp.List, i, j int) error {
	a, err := c.a.list(i, kind)
	if err != nil {
		return err
	}
	b, err := c.b.list(j, kind)
	if err != nil {
		return err
	}
	if x, y := c.a.brokenOff(i), c.b.brokenOff(j); (x == alone) != (y == alone) {
		c.pageA, c.pageB = max(x, i), max(y, j)
		c.report(Difference{Class: ClassOutcome, Change: changeChanged, Pointer: "/outcome"}, c.a.pagesEnded(x), c.b.pagesEnded(y))
	}
	c.pageA, c.pageB = i, j
	c.values(ClassResult, []string{"result"}, a.rest, b.rest)
	turn := func(nameA, nameB string) { // an item that a side lacks is at its first page
		c.pageA, c.pageB = max(a.page[nameA], i), max(b.page[nameB], j)
	}
	base := []string{"result", kind.Member}
	for _, name := range a.names {
		if item, ok := b.items[name]; !ok || string(item) != string(a.items[name]) {
			turn(name, name)
			c.item(append(base, name), a.items[name], item)
		}
	}
	for _, name := range b.names {
		if _, ok := a.items[name]; !ok {
			turn(name, name)
			c.item(append(base, name), nil, b.items[name])
		}
	}
	c.order(base, a, b, turn)
	return nil
}

func (c *comparer) item(path []string, a, b []byte) {
	if a == nil || b == nil {
		c.value(ClassResult, path, a, b)
		return
	}
	c.values(ClassResult, path, a, b)
}

// order compares the order of the items that both lists have.
func (c *comparer) order(base []string, a, b *list, turn func(nameA, nameB string)) {
	common := func(names []string, other *list) []string {
		return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return other.items[name] == nil })
	}
	inA, inB := common(a.names, b), common(b.names, a)
	for i := range min(len(inA), len(inB)) {
		if inA[i] != inB[i] {
			turn(inA[i], inB[i])
			c.report(Difference{Class: ClassOrder, Change: changeChanged, Pointer: match.PointerTo(base...)}, []byte(inA[i]), []byte(inB[i]))
			return
		}
	}
}

func (s *side) list(number int, kind mcp.List) (*list, error) {
	l := &list{items: map[string][]byte{}, page: map[string]int{}, seen: map[string]int{}}
	for i, page := range append([]int{number}, s.pages[number]...) {
		r := &s.records[page]
		if r.flags&answered == 0 || r.flags&failed != 0 {
			continue
		}
		result, err := s.value(r)
		if err != nil {
			return nil, err
		}
		items := match.At(result, match.PointerTo(kind.Member))
		if i == 0 {
			l.rest = without(result, kind.Member, "nextCursor")
		}
		for _, item := range match.Each(items) {
			if l.add(kind, item, page); len(l.names) >= maxItems {
				break
			}
		}
	}
	return l, nil
}

// brokenOff returns the first further page without a result, or alone.
func (s *side) brokenOff(number int) int {
	for _, page := range s.pages[number] {
		if r := &s.records[page]; r.flags&answered == 0 || r.flags&failed != 0 {
			return page
		}
	}
	return alone
}

func (s *side) pagesEnded(broken int) []byte {
	if broken == alone {
		return []byte("result")
	}
	r := &s.records[broken]
	return append([]byte("a further page: "), s.ended(r, outcome(r))...)
}

// add adds an item under its key, or else under its name.
func (l *list) add(kind mcp.List, item []byte, page int) {
	name, ok := match.Text(match.Member(item, kind.Key))
	if !ok {
		name, _ = match.Text(match.Member(item, "name"))
	}
	if l.seen[name]++; l.seen[name] > 1 {
		name = fmt.Sprintf("%s#%d", name, l.seen[name])
	}
	l.names = append(l.names, name)
	l.items[name], l.page[name] = item, page
}

func without(object []byte, names ...string) []byte {
	out := []byte{'{'}
	for name, value := range match.Each(object) {
		if !slices.Contains(names, name) {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = match.AppendText(out, name)
			out = append(append(out, ':'), value...)
		}
	}
	return append(out, '}')
}
