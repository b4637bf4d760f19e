// Package fleet shows a smoke run over many targets as a grid: the totals, a line for
// each target, and the facts about the target under the cursor. A target's recording can
// be opened while it is being written, and its server started again in a session of its
// own.
//
// The shell decides when the run is shown, and whether the program ends with it.
package fleet
