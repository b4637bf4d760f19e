// Package progress keeps the progress of a run over targets while it continues:
// the phase of each target, and the totals. It receives the events of the run;
// the interface and the status line read it.
package progress
