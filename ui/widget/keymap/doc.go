// Package keymap holds the single table of all actions. Key dispatch, the
// footer, the help screen, the command palette and the table of keys in
// docs/keys.md are all generated from it, so they cannot disagree.
//
// An action belongs to a scope: a pane, a dialog, or Global. A key is looked up
// in the focused scope and then in Global. In a modal scope, such as a text
// field in which every letter is text, only the global actions marked
// Everywhere are reachable. New rejects a table in which a key could have two
// meanings.
//
// Scopes inherit: keys common to many, such as keys to move and to close, are
// declared once in scopes that never have the focus, and Inherit gives each
// child its own action, with a derived ID under which it can be rebound.
//
// Keys are written as in Bubble Tea v2 ("ctrl+c", "space", "shift+tab",
// "pgdown", "G"). C is the type of the
// state that decides whether an action is possible.
package keymap
