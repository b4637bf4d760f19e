// Package scenario runs a written list of steps through a session, and says of
// each whether what came was what is expected.
//
// Parse reads a scenario, a YAML file of one schema (see Schema), and checks all
// of it before anything runs: every error names file, line and column. WriteYAML
// writes one so that Parse gives it back. docs/scenario.md describes the file.
//
// Scenario.Configure says what a session must be made with, such as that it can
// answer what a step wants to answer. Scenario.Run takes the steps in their
// order through a session that is open; the first that fails ends the run, and
// the others are skipped, unless Step.Always is set.
package scenario
