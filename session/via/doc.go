// Package via is the executor for servers that are reached through the command line of
// another program: a container engine's exec, sudo, chroot, nsenter and the like. It works
// on any placement, over the executor of this machine or of a host.
//
// # Start
//
// The prefix is executed with a shell instead of the server, as in
//
//	docker exec -i web /bin/sh -c BOOTSTRAP
//
// and the shell reads the run script of package guard from its standard input, so that
// folder and variables travel there and appear in no process list. From the answer to
// that script on, the streams are those of the server. Where there is no shell, the server
// is executed as it is.
//
// # End
//
// Most wrappers leave the server a descendant of themselves (chroot, unshare, bwrap): then
// the executor below ends the tree, and there is nothing to add. The process that an
// engine starts is a child of its daemon, and survives the engine's client in every way in
// which that can end. So a second execution of the same prefix runs a guard next to it.
// A target with several pods or containers is resolved to one of them before the start.
// The guard takes charge only if it finds the mark of the server: the second execution of
// an unknown prefix may lead to another place.
//
// An engine's client may end with 0 because its stream was lost. So the exit status is
// evidence only if the shell inside has reported it: it waits for the server, and writes
// the status to standard error after a random mark, where it is taken out again. A shell
// reports a death by a signal as 128 and its number.
package via
