// Package sshexec is the executor on another machine: processes run there over
// SSH, with nothing installed and nothing left behind.
//
// # A start
//
// Each process has a connection of its own, which package link makes: through
// what hosts there are on the way, verified and logged in to one by one.
// On it two channels are opened. The login shell of both is asked to execute
// one constant line, the bootstrap, which means the same in every shell: read a
// line of standard input, and evaluate it. The scripts with arguments,
// variables and directory come that way, so that no list of processes ever
// shows them.
//
//   - The run channel prepares the command, says RUN and its pid behind a random
//     mark, waits for GO and becomes the command. What came before the mark is
//     noise of startup files: it is told, and is no output.
//   - The guard channel runs guard.sh. It knows the run by pid and group before
//     GO is sent, and all that descends from it by a stamp that its processes
//     inherit (a number in their soft limit on file locks, which Linux does not
//     use), or where that fails by the mark in their environment. A process that
//     was once seen as a member stays one, by pid and start time.
//
// Where the server allows one session on a connection, the guard gets a second
// connection. It takes charge of the run only if it finds its pid with the mark:
// the second connection may lead to another machine.
//
// What is sent is pipelined: from the open connection to the running command
// are two round trips and the one in which the guard is executed.
//
// # An end
//
// A server that ignores the end of its input, or has children, outlives every
// way in which an SSH client can go away. So it is the guard that ends them:
// when it is told to, when its own input ends because the connection is gone,
// and when it has not heard of us for the lease. Before it ends a run by itself
// it writes why, and the exit says so: Exit.By and Exit.Why. Stop and Tree ask it
// too. A guard that was killed is replaced on the same connection; after a lost
// connection the next guard first ends the earlier run.
//
// Three endings are kept apart: an exit status, an exit signal, and a loss. A
// loss is Failed with a *executor.LostError that holds the first cause, and
// nothing is known of the process then. The link is checked every five seconds;
// a dead one is given up within thirteen.
//
// OpenSSH closes the standard input of a session when its leader has ended,
// even if descendants hold it open; what they would have read is dropped.
//
// # Less than that
//
// On a host without a POSIX shell, or with a forced command, LaunchPlain
// executes the bare command: then closing its input and the server's signals
// are all there is. A guard without /proc, sleep or setsid does what it can,
// and a Notice of the process's Info says so.
package sshexec
