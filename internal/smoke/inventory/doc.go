// Package inventory holds what a server offers, and compares it with what
// another one does: its drift.
//
// An [Inventory] is made of what a session was told ([New]), or of a recording
// of one ([FromSource]); a [Baseline] is a file that has one for each server: a
// recording, or the JSON document of mcpdbg smoke, whose targets name
// recordings. [Compare] says what was added, removed and changed, as pointers
// into the items.
//
// What a server says is untrusted: an inventory keeps a bounded part of it. What
// is beyond that is compared by its hash, and counted, so that no change goes
// unseen; only where it is can't be told then.
package inventory
