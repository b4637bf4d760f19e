// Package scenario runs a list of steps through a session and checks the response of
// each against what is expected.
//
// Parse reads a scenario from a YAML file (see Schema) and validates all of it before
// anything runs: every error names file, line and column. WriteYAML writes a scenario
// so that Parse reads it back. docs/scenarios.md describes the file.
//
// Scenario.Configure prepares the configuration of a session, for example the
// capabilities for requests that steps answer. Scenario.Run takes the steps in order
// through an open session. The first failure ends the run, and the remaining steps are
// skipped unless Step.Always is set.
package scenario
