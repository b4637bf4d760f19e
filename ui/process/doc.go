// Package process shows the process of a server and ends it: the process pane,
// the ways to stop a server, and the processes that can be killed one by one.
package process
