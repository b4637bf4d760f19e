// Package console is the environment of one invocation: the arguments, the
// standard streams, what the terminal can do, signals, prompts, and the files
// that commands read and create.
//
// Main makes one Env and hands it to every command. Standard output carries
// results only; everything else goes to standard error.
package console
