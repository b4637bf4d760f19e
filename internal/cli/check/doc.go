// Package check has the command check: it parses flags, makes the sessions of a run,
// and writes its reports.
package check
