// Package exectest is the conformance suite of package executor: every
// executor passes it, wherever its processes run. Each behaviour is one named
// subtest, numbered as in the project's list of behaviours.
//
// The processes it starts are a helper, which is the test binary itself: its
// TestMain calls HelperMain, and HelperArgs describes what the helper can do,
// step by step. Tests wait for what processes say, never for time to pass.
package exectest
