// Package framesvg draws a frame of the terminal interface as an SVG picture,
// for the documents.
//
// A frame is text with SGR sequences in true colour, as the interface's View
// returns it. Every cell has a fixed place, whatever font the reader has: each
// run of text is stretched to its width, and lines of boxes are drawn as lines.
package framesvg
