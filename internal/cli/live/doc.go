// Package live makes the sessions of commands: it chooses the executor, opens the
// recording, and ends the server however the command ends. It reports on standard
// error how a session ended: leaked processes, problems, the recording.
package live
