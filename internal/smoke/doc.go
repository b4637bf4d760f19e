// Package smoke runs the same checks against many targets, servers on hosts, and
// says for each that does not pass exactly why.
//
// It knows sessions and neither executors nor screens: who calls Run makes the
// session of each target, and hears of every step as an Event.
//
// A target opens its session (again, if the host was not reached and that may
// pass), lists everything that the server declares, measures a round trip, and
// runs the scenario. Whatever became of that, the server is then ended by the
// ladder, with time of its own, and what it left behind is told; what was listed
// is compared with the baseline, once there is nothing any more that others may
// wait for; session/lint looks at the whole log, and session/verdict says what to
// try. The first that is wrong is the cause of the failure; what comes after it
// only adds findings, notices and orphans. What an error comes to stands in
// classify.go and nowhere else.
//
// Of a target that is done nothing stays but its Result, and of the Baseline's
// host an inventory for each server.
package smoke
