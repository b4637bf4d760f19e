// Package smoke runs the same checks against many targets, servers on hosts, and
// says for each that does not pass exactly why.
//
// It knows sessions and neither executors nor screens: who calls Run makes the
// session of each target, and hears of every step as an Event.
package smoke
