// Package palette finds actions by name and carries them out. Actions are also found by
// their synonyms, and those that take a word can be typed with it ("level debug").
//
// Possible actions come first, then impossible ones with the reason. While nothing is
// typed, the actions used last are on top. The action table is handed in by the shell.
package palette
