// Package sshconfig parses destinations as users type them, and resolves them
// with the user's ssh configuration.
//
// The configuration is read only by the OpenSSH client itself: "ssh -G" prints
// the effective settings, with Match and Include evaluated. It leaves some
// tokens, such as %h in IdentityFile, to be expanded here. If no such client is
// installed, the configuration is not read: a destination such as
// ann@build:2222 is used as it is, and anything that needs the configuration is
// an error. A second parser would sooner or later read a different policy from
// the same file.
//
// Aliases lists the names of Host lines, without evaluating anything.
//
// # Limits of ssh -G
//
// It prints the files of UserKnownHostsFile separated by spaces without quoting
// them: a word that does not begin like a path is taken for the rest of a name
// with a space. It gets the home directory from the password database and
// ignores HOME; see Resolver.Home.
package sshconfig
