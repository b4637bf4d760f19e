package inventory

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"mcpdbg/recordings/match"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// What an inventory keeps.
const (
	MaxItem  = 128 << 10 // bytes of an item; of a larger one its size and hash
	MaxBytes = 1 << 20   // bytes of all items
	MaxItems = 10_000    // items of a list; the others are counted and hashed
	maxName  = 256       // bytes of a name
)

// An Inventory is what a server offers. It is not changed once it is made, so
// that any goroutine may read it.
type Inventory struct {
	Name, Version string // what it calls itself
	Protocol      string // the revision that was agreed on
	Era           mcp.Era
	Capabilities  Item
	Instructions  Item // a JSON string, "" if there are none
	// Lists has those that were read to their end, by mcp.List.Name. One that is
	// missing was not asked for, or was answered with an error.
	Lists map[string]*List

	kept int // bytes of all items
}

// A List is all pages of a list.
type List struct {
	Items []Item // by name
	// More is how many items there are beyond MaxItems, and MoreHash the sum of
	// their hashes.
	More     int
	MoreHash uint64
}

// An Item is one thing that a server offers.
type Item struct {
	Name string // of a tool or prompt; the URI of a resource, the template of a template
	// Value is canonical JSON (match.AppendCanonical). It is nil of what is
	// beyond MaxItem or MaxBytes, and of what is nested too deep.
	Value []byte
	Size  int // of the canonical JSON, in bytes
	Hash  uint64
}

// nameMembers are the members by which items are known.
var nameMembers = map[string]string{"tools": "name", "resources": "uri", "templates": "uriTemplate", "prompts": "name"}

// New makes the inventory of a session: of what the handshake told, and of the
// items of its lists, as session.Session.ListAll returns them. A list that could
// not be read to its end is left out of lists; nil would be an empty one.
func New(server session.Server, lists map[mcp.List][]json.RawMessage) *Inventory {
	inv := &Inventory{
		Name: cut(server.Name, maxName), Version: cut(server.Version, maxName),
		Protocol: cut(server.Protocol, maxName), Era: server.Era, Lists: map[string]*List{},
	}
	inv.Capabilities = inv.item("", server.Capabilities)
	inv.Instructions = inv.item("", match.AppendText(nil, server.Instructions))
	for _, kind := range mcp.Lists { // in their order: it decides what is kept
		if items, ok := lists[kind]; ok {
			inv.Lists[kind.Name] = inv.list(kind, items)
		}
	}
	return inv
}

// Lacks names the lists that the server declares and that were not read, so
// that nothing is known of them.
func (inv *Inventory) Lacks() []string {
	var lacks []string
	for _, kind := range mcp.Lists {
		if inv.Lists[kind.Name] == nil && kind.Name != "templates" && match.Member(inv.Capabilities.Value, kind.Name) != nil {
			lacks = append(lacks, kind.Name)
		}
	}
	return lacks
}

// list makes a list of raw items.
func (inv *Inventory) list(kind mcp.List, items []json.RawMessage) *List {
	list := &List{}
	seen := names{}
	for _, raw := range items {
		if len(list.Items) == MaxItems {
			list.More++
			list.MoreHash += inv.item("", raw).Hash
			continue
		}
		name := seen.apart(cut(nameOf(kind, raw), maxName))
		list.Items = append(list.Items, inv.item(name, raw))
	}
	slices.SortStableFunc(list.Items, func(a, b Item) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// names are those that are taken, with the last number that was added to each.
type names map[string]int

// apart is a name with a number if it is taken, and takes it.
func (n names) apart(name string) string {
	one := name
	for n[one] > 0 {
		n[name]++
		one = fmt.Sprintf("%s#%d", name, n[name])
	}
	n[one] = 1
	return one
}

// nameOf is what an item of a list is known by.
func nameOf(kind mcp.List, raw json.RawMessage) string {
	if name, ok := match.Text(match.Member(raw, nameMembers[kind.Name])); ok {
		return name
	}
	return "(no " + nameMembers[kind.Name] + ")"
}

// item makes an item, with its value as long as there is room.
func (inv *Inventory) item(name string, raw []byte) Item {
	if len(raw) == 0 {
		raw = []byte("null")
	}
	value, err := match.AppendCanonical(nil, raw)
	it := Item{Name: name, Size: len(value), Hash: match.Hash(value)}
	if err == nil && len(value) <= MaxItem && inv.kept+len(value) <= MaxBytes {
		inv.kept += len(value)
		it.Value = slices.Clip(value)
	}
	return it
}
