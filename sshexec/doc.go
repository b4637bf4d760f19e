// Package sshexec is the executor for remote hosts: it runs processes over SSH,
// installs nothing, and leaves no files or processes on the host.
//
// # Start
//
// Each process has its own connection, made by package link, which verifies and
// logs in to each host on the way. Two channels are opened on it. The login
// shell of both executes one constant line, the bootstrap, which means the same
// in every shell: read a line of standard input, and evaluate it. The scripts
// with arguments, variables and directory are sent that way, so that they never
// appear in a process list.
//
// The run channel runs the run script of package guard, and the guard channel the guard.
//
// If the server allows only one session per connection, the guard gets a second
// connection. It takes charge of the run only if it finds its pid with the
// mark: the second connection may lead to another machine.
//
// Messages are pipelined: from the open connection to the running command it
// takes two round trips and the one in which the guard is executed.
//
// # End
//
// A server that ignores the end of its input, or has children, survives every
// way in which an SSH client can disconnect. So the guard ends them: on
// request, when its own input ends because the connection is lost, and when it
// has not heard from the program for the lease. Before it ends a run on its own
// it writes the reason, which Exit.By and Exit.Why report. Stop and Tree use
// the guard too. A guard that was killed is replaced on the same connection;
// after a lost connection the next guard first ends the earlier run.
//
// An exit status, an exit signal and a lost connection are three different
// ends. A lost connection is Failed with an *executor.LostError that holds the
// first cause; the state of the process is then unknown. The link is checked
// every five seconds; a dead one is given up within thirteen.
//
// OpenSSH closes the standard input of a session when its leader has ended,
// even if descendants hold it open; what they would have read is dropped.
//
// # Locks
//
// A lock is held for a few statements, and none while a function of a caller runs or
// another lock is taken, with two exceptions. pathCache.mu is held while a host is asked
// for its PATH, so that of several starts one asks; launcher.mu comes after it.
// An executor.Stdin closes its pipe under its lock, so stdinPipe.mu comes after that one; no
// lock of package executor is taken under one of these, and events are emitted after
// unlock.
//
// # Reduced modes
//
// On a host without a POSIX shell, or with a forced command, LaunchPlain
// executes the bare command: then only closing its input and the server's
// signals can end it. A guard without /proc, sleep or setsid does what it can,
// and a Notice of the process's Info reports what it cannot.
package sshexec
