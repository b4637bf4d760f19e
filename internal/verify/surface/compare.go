package surface

import (
	"bytes"
	"fmt"

	"mcpdbg/internal/wording"
	"mcpdbg/recordings/match"
	"mcpdbg/session/mcp"
)

// Limits of the result of Compare.
const (
	maxChanges     = 200 // in total
	maxItemChanges = 20  // per item
	maxValue       = 200 // bytes per value
)

// Compare returns the differences of now from base: first the server, then list by list
// the added, removed and changed items, by name, in any order. A list that only one of
// them has is not compared. Values that differ in each run, such as times, are equal if
// they have the same type (match.TypeOf).
func Compare(base, now *Surface) []Change {
	var c comparison
	c.text("server", "name", base.Name, now.Name)
	c.text("server", "version", base.Version, now.Version)
	c.item("server", "instructions", base.Instructions, now.Instructions)
	c.text("protocol", "", base.Protocol, now.Protocol)
	c.item("capabilities", "", base.Capabilities, now.Capabilities)
	for _, kind := range mcp.Lists {
		a, b := base.Lists[kind.Name], now.Lists[kind.Name]
		if a != nil && b != nil {
			c.list(kind.Item(), a, b)
		}
	}
	if c.more > 0 {
		c.changes = append(c.changes, Change{What: allParts, Change: More, Count: c.more})
	}
	return c.changes
}

type comparison struct {
	changes []Change
	more    int
}

func (c *comparison) add(change Change) {
	if len(c.changes) < maxChanges {
		c.changes = append(c.changes, change)
		return
	}
	c.more += max(change.Count, 1)
}

func (c *comparison) text(what, name, from, to string) {
	if from != to {
		c.add(Change{What: what, Name: name, Change: Changed, From: show(match.AppendText(nil, from)), To: show(match.AppendText(nil, to))})
	}
}

// The lists are sorted by name.
func (c *comparison) list(what string, a, b *List) {
	inA, inB := byName(a), byName(b)
	for _, item := range b.Items {
		if _, ok := inA[item.Name]; !ok {
			c.add(Change{What: what, Name: item.Name, Change: changeAdded})
		}
	}
	for _, item := range a.Items {
		if _, ok := inB[item.Name]; !ok {
			c.add(Change{What: what, Name: item.Name, Change: changeRemoved})
		}
	}
	for _, item := range a.Items {
		if other, ok := inB[item.Name]; ok {
			c.item(what, item.Name, item, other)
		}
	}
	if a.More != b.More || a.MoreHash != b.MoreHash {
		c.add(Change{
			What: what, Name: fmt.Sprintf("those beyond %d", maxItems), Change: Changed,
			From: fmt.Sprint(a.More), To: fmt.Sprint(b.More),
		})
	}
}

func byName(l *List) map[string]Item {
	items := make(map[string]Item, len(l.Items))
	for _, item := range l.Items {
		items[item.Name] = item
	}
	return items
}

func (c *comparison) item(what, name string, a, b Item) {
	if a.Hash == b.Hash && a.Size == b.Size {
		return
	}
	if a.Value == nil || b.Value == nil {
		c.add(Change{What: what, Name: name, Change: Changed, From: a.outline(), To: b.outline()})
		return
	}
	n := 0
	match.Diff(a.Value, b.Value, func(path []string, from, to []byte) bool {
		switch {
		case descend(from, to):
			return true
		case sameType(path, from, to):
			return false
		}
		if n++; n <= maxItemChanges {
			change := Change{What: what, Name: name, Change: Changed, Pointer: pointer(path), From: show(from), To: show(to)}
			c.add(change)
		}
		return false
	})
	if n > maxItemChanges {
		c.add(Change{What: what, Name: name, Change: More, Count: n - maxItemChanges})
	}
}

// Arrays of scalars, such as required and enum, are easier to read as a whole.
func descend(a, b []byte) bool {
	switch {
	case len(a) == 0 || len(b) == 0 || a[0] != b[0]:
		return false
	case a[0] == '[':
		return hasContainers(a) && hasContainers(b)
	}
	return a[0] == '{'
}

func hasContainers(array []byte) bool { return bytes.ContainsAny(array[1:], "{[") }

// sameType is for types whose values differ in each run.
func sameType(path []string, a, b []byte) bool {
	if a == nil || b == nil || len(path) == 0 {
		return false
	}
	name := path[len(path)-1]
	t := match.TypeOf(name, a)
	return t != match.TypeNone && t == match.TypeOf(name, b)
}

func pointer(path []string) string {
	return wording.Clip(string(match.PointerTo(path...)), 4*maxName, wording.Ellipsis)
}

// "" if there is none.
func show(value []byte) string { return wording.Clip(value, maxValue, wording.Ellipsis) }

func (i Item) outline() string { return fmt.Sprintf("%d bytes, xxh64 %016x", i.Size, i.Hash) }

// A Change is a difference from the baseline.
type Change struct {
	What string `json:"what"` // server, protocol, capabilities, tool, resource, template, prompt; all with More of all
	// of the tool and so on; for What = server: name, version or instructions
	Name   string `json:"name"`
	Change string `json:"change"` // Added, Removed, Changed or More
	// Pointer is the position in the item, such as /inputSchema/properties/a/type. From
	// and To are the JSON there, cut at 200 bytes, or size and hash of too large values.
	Pointer string `json:"pointer,omitempty"`
	From    string `json:"from,omitempty"`
	To      string `json:"to,omitempty"`
	Count   int    `json:"count,omitempty"` // with More: number of omitted changes
}

// The values of Change.
const (
	changeAdded   = "added"
	changeRemoved = "removed"
	Changed       = "changed"
	More          = "more" // Count further changes were omitted
)

// allParts is the What of a Change that counts changes beyond maxChanges.
const allParts = "all"
