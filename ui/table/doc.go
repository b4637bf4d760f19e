// Package table shows a window of a list that may have millions of rows and
// grows while it is looked at. Traffic, stderr and events are all this table
// with different columns.
//
// The table holds no rows. It asks its Source how many there are and has the
// visible ones painted, so a key costs the same at ten rows and at ten
// million. Painted rows are kept until they look different.
//
// # What stays where it is
//
// The cursor is a row number and not a place on the screen. When rows arrive
// or the filter changes, the row under the cursor stays on its line of the
// screen, or, if the filter hides it, its next visible neighbour takes its
// place until the row comes back. Only while the table follows does it jump to
// the newest row. Any move upwards ends following, and Status says so; End
// begins it again.
//
// # What is visible without colour
//
// The first cell of the selected row is ">", whatever the terminal makes of
// reverse video. The second cell is for a mark of the row's kind, which the
// source chooses.
//
// A Table belongs to one goroutine.
package table
