// Package sshconfig reads destinations as people type them, and finds out what
// the user's ssh configuration says about them.
//
// The only reader of the configuration is the OpenSSH client itself: "ssh -G"
// prints what would be used, Match and Include and all. It leaves some tokens,
// such as %h in IdentityFile, to be expanded here. Where no such client is
// installed nothing is read: a destination such as ann@build:2222 is used as it
// is, and anything that needs the configuration is an error. A second reader
// would in time read another policy out of the same file.
//
// Aliases lists the names of Host lines, and evaluates nothing.
//
// # What ssh -G cannot say
//
// It prints the files of UserKnownHostsFile with spaces between them and does
// not quote them: a word that does not begin as a path does is taken for the
// rest of a name with a space. It looks up the home directory in the password
// database, whatever HOME says; see Resolver.Home.
package sshconfig
