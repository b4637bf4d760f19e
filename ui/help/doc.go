// Package help shows a card with the most important keys of the focused part, and the
// list of all actions.
//
// Both are made from the action table, which the shell hands in, so a key that the user
// has changed is shown as changed.
package help
