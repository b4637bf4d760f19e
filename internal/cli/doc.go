// Package cli is the command line: the root command, exit codes and the wiring of
// executors, sessions, recordings and the interface. It contains no other logic.
//
// The commands are in a folder for each family: rec, run, replay, smoke and check.
// Below them are the packages that they share, from the top: tui (the interface),
// live (sessions and their restarts), flags, logs (entries as lines), console
// (streams, signals, files, texts) and exit (codes and errors). A family never
// imports another one.
//
// Standard output carries results only; everything else goes to standard error.
// However a command ends, the server that it started is gone when it returns.
package cli
