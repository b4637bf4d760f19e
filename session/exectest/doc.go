// Package exectest is the conformance suite of package executor: every executor
// must pass it, wherever its processes run. Each behaviour is one named
// subtest, numbered as in the project's list of behaviours.
//
// The processes that it starts run a helper, which is the test binary itself:
// its TestMain calls HelperMain, and HelperArgs documents the helper's steps.
// Tests wait for output of processes, never for time to pass.
package exectest
