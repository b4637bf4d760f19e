// Package host declares how the interface and its surroundings know each other:
// the Launcher that lists and opens servers and recordings, and the run over
// many targets that is shown as a grid.
package host
