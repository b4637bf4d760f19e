// Package paint paints text into fixed rectangles and composes them into a
// frame.
//
// A pane owns Lines, a block of rows repainted only when its content has
// changed. Text gets into a Line only through termsafe, which counts every
// cell, so a line never exceeds its width. A Canvas puts the blocks of all
// panes side by side, frames them, and lays dialogs over them; later drawings
// cover earlier ones. The result always has exactly the canvas's height in
// lines and width in cells.
//
// No text is measured twice, and buffers are reused: a frame of 200 by 60 cells
// costs a fraction of a millisecond and one allocation.
//
// No type in this package is safe for concurrent use.
package paint
