// Package smoke runs the same checks against many targets, which are servers on
// hosts, and reports exactly why a target does not pass.
//
// It depends on sessions, but neither on executors nor on screens: the caller
// of Run makes the session of each target, and receives every step as an Event.
//
// A target opens its session (again, if the host was not reached and the
// failure may be temporary), lists everything that the server declares,
// measures a round trip, and runs the scenario. In any case, the server is then
// ended by the shutdown sequence, with a timeout of its own, and leaked
// processes are reported. The lists are compared with the baseline, after
// everything that other targets may wait for has been released. Finally
// session/diagnosis/rule checks the whole log, and session/diagnosis/cause suggests a hint. The
// first problem is the cause of the failure; later ones only add problems,
// notices and orphans. The classification of errors is in classify.go and
// nowhere else.
//
// Of a finished target only its Result is kept, and for the Baseline's host an
// inventory for each server.
package smoke
