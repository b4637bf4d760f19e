// Package guard ends a whole tree of processes in a place that only a pair of streams
// reaches: a host over SSH, or a container. It installs nothing there, and leaves no file.
//
// Two scripts run there, each in a POSIX shell that reads it from its standard input, so
// that neither arguments nor variables appear in a process list:
//
//   - The run script (RunScript) prepares the command, prints RUN and its pid after a
//     random mark, waits for GO and becomes the command. Output before the mark is noise
//     of startup files: it becomes a notice, not output of the server.
//   - The guard (guard.sh) knows the run by pid and group before GO is sent, and all that
//     descends from it by a stamp that its processes inherit (a number in their soft limit
//     on file locks, which Linux does not use), or where that fails by the mark in their
//     environment. A process that was once seen as a member stays one, by pid and start
//     time. The guard ends the run on request, when its own input ends, and when it has
//     heard nothing for its lease; before it ends a run on its own it writes the Reason.
//
// A Guard speaks with one guard; a Charge replaces one that was killed. The executors
// bring the Channels.
//
// A lock is held for a few statements, and none while a function of a caller runs or
// another lock is taken, with one exception: Guard.order is held while a command is
// written, and Guard.mu comes after it.
package guard
