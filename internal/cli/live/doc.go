// Package live makes the sessions of commands: it chooses the executor, opens the
// recording, and ends the server however the command ends. It reports on standard
// error how a session ended: leaked processes, problems, the recording. A Watch
// restarts the server when files change, and re-sends the last requests: run prints
// the rounds, and the interface shows them.
package live
