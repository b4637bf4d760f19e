// Package table shows a window of a list that may have millions of rows and may
// grow while it is shown: the traffic, stderr and the events with different
// columns.
//
// The table holds no rows. It asks its Source for their number and lets it
// paint the visible ones, so a key costs the same with ten rows and with ten
// million. Painted rows are cached until they look different.
//
// # Stable positions
//
// The cursor is a row number, not a position on the screen. When rows arrive or
// the filter changes, the row under the cursor stays on its line of the screen.
// If the filter hides it, its next visible neighbour takes its place until it
// comes back. Only while the table follows does the cursor move to the newest
// row. Any upward move ends following, and Status shows that; End starts it
// again.
//
// # Bars
//
// Next to the rows there may be bars on an axis of time: how long something took, and
// what else happened meanwhile. A Bar is at least one cell long.
//
// # Without colour
//
// The first cell of the selected row is ">", even if the terminal ignores
// reverse video. The second cell is for a mark of the source.
//
// A Table must be used by one goroutine only.
package table
