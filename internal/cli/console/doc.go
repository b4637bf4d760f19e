// Package console is the environment of one invocation: the arguments, the
// standard streams, what the terminal can do, signals, prompts, and the files
// that commands read and create. It also has the small texts that all commands
// print alike: numbers of things, sizes and times for people, lists of names,
// commands quoted for a shell, and short paths.
//
// Main makes one Env and hands it to every command. Standard output carries
// results only; everything else goes to standard error.
package console
