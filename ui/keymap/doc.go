// Package keymap holds the one table of everything a person can do. Key
// dispatch, the footer, the help screen, the command palette and the table of
// keys in the README are all read from it, so none of them can disagree.
//
// An action belongs to a scope: a pane, a dialog, or Global. A key is looked
// up in the scope that has the focus and then in Global. A modal scope, such
// as a text field in which every letter is text, stands alone: there only the
// global actions marked Everywhere are reached. New refuses a table in which a
// key could mean two things.
//
// Keys are written as Bubble Tea v2 writes them ("ctrl+c", "space",
// "shift+tab", "pgdown", "G"); this package does not depend on it. C is the
// type of what an action needs to know to say whether it is possible now.
package keymap
