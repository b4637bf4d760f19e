// Package smoke runs the same checks against many targets, servers on hosts, and
// says for each that does not pass exactly why.
//
// It knows sessions and neither executors nor screens: who calls Run makes the
// session of each target, and hears of every step as an Event. A Board keeps the
// live picture of a run for who shows it.
//
// A target opens its session (again, if the host was not reached and that may
// pass), lists everything that the server declares, measures a round trip, runs
// the scenario, and compares what it listed with the baseline. Whatever became of
// that, the server is then ended by the ladder, with time of its own; what it left
// behind is told; and session/lint looks at the whole log. The first that is wrong
// is the cause of the failure; what comes after it only adds findings, notices
// and orphans. What an error comes to stands in classify.go and nowhere else.
//
// Of a target that is done nothing stays but its Result, and of the Baseline's
// host an inventory for each server.
package smoke
