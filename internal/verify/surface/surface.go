// Package surface holds what a server offers, and compares it with that of another
// server: its drift. A [Surface] is made from a session ([New]) or a recording
// ([fromSource]); a [Baseline] is a file with a surface for each server. [Compare]
// returns changes as pointers into the items. Data of a server is untrusted: a bounded
// part of it is kept. The rest is counted and compared by hash, so that no change is
// missed; only its position is then unknown.
package surface

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"sort"

	"mcpdbg/internal/wording"
	"mcpdbg/recordings/match"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// Limits of a surface.
const (
	maxItem  = 128 << 10 // bytes per item; of larger ones only size and hash are kept
	maxBytes = 1 << 20   // bytes of all items
	maxItems = 10_000    // items per list; others are only counted and hashed
	maxName  = 256       // bytes per name
)

// A Surface is what a server offers. It is immutable.
type Surface struct {
	Name, Version string // as the server calls itself
	Protocol      string // negotiated revision
	Era           mcp.Era
	Capabilities  Item
	Instructions  Item // a JSON string, or ""
	// Lists has the completely read lists, by mcp.List.Name. A missing one was not
	// requested, or was an error.
	Lists map[string]*List

	kept int // bytes of all items
}

// A List holds all pages of a list.
type List struct {
	Items []Item // by name
	// More counts the items beyond maxItems, and MoreHash sums their hashes.
	More     int
	MoreHash uint64
}

// An Item is something that a server offers, such as a tool.
type Item struct {
	Name string // name of a tool or prompt, URI of a resource, URI template of a template
	// Value is canonical JSON (match.AppendCanonical); nil beyond maxItem or maxBytes, or
	// if nested too deeply.
	Value []byte
	Size  int // of the canonical JSON in bytes
	Hash  uint64
}

// New makes the surface of a session from its handshake and session.Session.ListAll. A
// list that was not read completely must be omitted: nil is an empty one.
func New(server session.Server, lists map[mcp.List][]json.RawMessage) *Surface {
	inv := &Surface{
		Name: wording.Clip(server.Name, maxName, wording.Ellipsis), Version: wording.Clip(server.Version, maxName, wording.Ellipsis),
		Protocol: wording.Clip(server.Protocol, maxName, wording.Ellipsis), Era: server.Era, Lists: map[string]*List{},
	}
	inv.Capabilities = inv.item("", server.Capabilities)
	inv.Instructions = inv.item("", match.AppendText(nil, server.Instructions))
	for _, kind := range mcp.Lists { // in a fixed order, which decides what is kept
		if items, ok := lists[kind]; ok {
			inv.Lists[kind.Name] = inv.list(kind, items)
		}
	}
	return inv
}

// Missing returns the names of the declared lists that were not read.
func (inv *Surface) Missing() []string {
	var lacks []string
	for _, kind := range mcp.Lists {
		if inv.Lists[kind.Name] == nil && kind.Name != "templates" && match.Member(inv.Capabilities.Value, kind.Name) != nil {
			lacks = append(lacks, kind.Name)
		}
	}
	return lacks
}

func (inv *Surface) list(kind mcp.List, items []json.RawMessage) *List {
	list := &List{}
	seen := names{}
	for _, raw := range items {
		if len(list.Items) == maxItems {
			list.More++
			list.MoreHash += inv.item("", raw).Hash
			continue
		}
		name := seen.unique(wording.Clip(nameOf(kind, raw), maxName, wording.Ellipsis))
		list.Items = append(list.Items, inv.item(name, raw))
	}
	sort.SliceStable(list.Items, func(i, j int) bool {
		a, b := &list.Items[i], &list.Items[j]
		return cmp.Compare(a.Name, b.Name) < 0
	})
	return list
}

// names have the last number that was appended to each.
type names map[string]int

// unique appends a number if needed, and records the name.
func (n names) unique(name string) string {
	one := name
	for n[one] > 0 {
		n[name]++
		one = fmt.Sprintf("%s#%d", name, n[name])
	}
	n[one] = 1
	return one
}

func nameOf(kind mcp.List, raw json.RawMessage) string {
	if name, ok := match.Text(match.Member(raw, kind.Key)); ok {
		return name
	}
	return "(no " + kind.Key + ")"
}

func (inv *Surface) item(name string, raw []byte) Item {
	if len(raw) == 0 {
		raw = []byte("null")
	}
	value, err := match.AppendCanonical(nil, raw)
	it := Item{Name: name, Size: len(value), Hash: match.Hash(value)}
	if err == nil && len(value) <= maxItem && inv.kept+len(value) <= maxBytes {
		inv.kept += len(value)
		it.Value = slices.Clip(value)
	}
	return it
}
