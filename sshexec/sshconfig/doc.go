// Package sshconfig reads destinations as people type them, and finds out what
// the user's ssh configuration says about them.
//
// The oracle is the OpenSSH client itself: "ssh -G" prints what would be used,
// Match and Include and all. Where no such client is installed a parser of our
// own reads the same files; it refuses what it cannot evaluate, instead of
// connecting to somewhere else than ssh would.
package sshconfig
