// Package help shows a card with the most important keys of the focused part and the list
// of all actions, and finds actions in the command palette.
//
// All are made from the action table, which the shell hands in, so a key that the user
// has changed is shown as changed. The palette finds actions by name or by a synonym,
// and those that take a word can be typed with it ("level debug"). Possible actions come
// first, then impossible ones with the reason. While nothing is typed, the actions used
// last are on top.
package help
