// Package help shows what can be done: a card with the most important keys of the
// focused part of the screen, and the list of all actions.
//
// Neither knows a key: both are made from the action table, so a key that the user
// has changed is shown as changed. The table is handed in by the shell.
package help
