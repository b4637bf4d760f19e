// Package paint paints text into fixed rectangles and composes them to a frame.
//
// A pane owns Lines, a block of rows that it repaints only when what it shows
// has changed. Text gets into a Line only through termsafe, which counts every
// cell, so a line cannot be longer than it says. A Canvas puts the blocks of
// all panes side by side, frames them, and lays dialogs over them; what is
// drawn later lies above. The result is a string of exactly the canvas's
// height in lines and width in cells, whatever was painted.
//
// Nothing here measures text that was measured before, and buffers are reused
// from frame to frame: a frame of 200 by 60 cells costs a fraction of a
// millisecond and one allocation.
//
// No type in this package is safe for concurrent use.
package paint
