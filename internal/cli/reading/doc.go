// Package reading reads whole recordings for commands: it checks a recording while its
// rows are read, and shows how far a command has come.
package reading
