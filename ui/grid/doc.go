// Package grid shows a run over many targets while it goes on: a line for each
// target with its phase, its time and what became of it, over all of them the
// totals, and below them what is known of the one under the cursor.
//
// It knows no session, no host and no test. What it shows it asks of a Source,
// and only for the lines that are on the screen: a frame costs the same for ten
// targets and for ten thousand. Looking through all of them is done only to sort
// or to filter them, and then once in a while.
//
// A Grid is painted and moved about in by whoever has the screen and the keys;
// it knows neither.
package grid
