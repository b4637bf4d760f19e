// Package format writes times, sizes and percentages as the screen shows them,
// and wraps and cuts text to a width.
//
// The Append functions are for rows that are painted often: they allocate
// nothing if the buffer is large enough. Text is not made safe for the terminal
// here; package termsafe does that.
package format
