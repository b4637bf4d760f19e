// Package sshconfig reads destinations as people type them, and finds out what
// the user's ssh configuration says about them.
//
// The oracle is the OpenSSH client itself: "ssh -G" prints what would be used,
// Match and Include and all. It leaves some tokens, such as %h in IdentityFile,
// to be expanded here. Where no such client is installed a parser of our own
// reads the same files; it refuses what it cannot evaluate, with the file and
// the line, instead of connecting to somewhere else than ssh would. Refused are
// a Match of exec, tagged, localnetwork and the like that decides, keywords and
// algorithms that OpenSSH 9.2 does not know, CanonicalizeHostname, and patterns
// with brackets in Include.
//
// Both ways end in the same settings, in the words of ssh -G, of which one
// place makes a Host. The tests hold the two against each other, on generated
// configurations.
//
// # What ssh -G cannot say
//
// It prints the files of UserKnownHostsFile with spaces between them and does
// not quote them: a word that does not begin as a path does is taken for the
// rest of a name with a space. It looks up the home directory in the password
// database, whatever HOME says; see Resolver.Home.
package sshconfig
