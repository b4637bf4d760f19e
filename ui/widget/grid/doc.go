// Package grid shows a run over many targets in progress: the totals, a line
// for each target with its phase, time and result, and the details of the
// target under the cursor.
//
// It does not depend on sessions, hosts or tests. It asks a Source only for the
// visible lines, so a frame costs the same for ten targets and for ten
// thousand. All targets are read only to sort or filter them, and at most four
// times a second.
//
// The embedding view paints a Grid and calls its methods for keys.
package grid
