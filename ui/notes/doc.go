// Package notes shows the user's marks and notes on rows: the prompt for the
// note on the selected row, and the list of all marked rows. The marks and notes
// themselves are in the Workspace. Those of a recording are kept in a file next
// to it: Place reads them once all rows are known, and save writes each change.
package notes
