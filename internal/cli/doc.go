// Package cli is the command line: subcommands, flags, exit codes. It wires
// executors, sessions, recordings and faces together and holds no other logic.
//
// Standard output carries results only; everything else goes to standard error.
// Whatever way a command ends, the server it started is gone when it returns.
package cli
