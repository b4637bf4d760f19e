// Package inventory holds what a server offers, and compares it with the
// inventory of another server: its drift.
//
// An [Inventory] is made from the data of a session ([New]), or from a
// recording of one ([fromSource]). A [Baseline] is a file with an inventory for
// each server: a recording, or the JSON document of mcpdbg smoke, whose targets
// name recordings. [Compare] returns what was added, removed and changed, as
// pointers into the items.
//
// Data of a server is untrusted: an inventory keeps a bounded part of it. The
// rest is counted and compared by hash, so that no change is missed; only its
// position is then unknown.
package inventory
