// Package home has what the program does without a subcommand for a server of
// one's own: the list of servers and recordings that were found, and the demo.
package home
