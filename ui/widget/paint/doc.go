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
// # Themes
//
// A Theme has one Style for each role. A role is defined once, as a style of Lip Gloss
// (Theme.Lipgloss returns it, for dialogs), and compiled into the bytes that switch it on
// and off: painting a cell is two appends. NewTheme makes themes for dark and for light
// backgrounds, with moderate or strong contrast. Blue is the accent: the focus, keys, and
// anything that runs. Methods have quiet hues by their family. Only the selected row may
// have a background (Line.BeginRow); where none is known to be readable it is reversed.
//
// Meaning is never carried by colour alone: the painting code also writes a glyph ("x"
// error, "?" not parsed, "~" server request, ">" and "<" the direction). Colours are the
// sixteen of the terminal's palette or, where supported, the hues of Okabe and Ito
// ("Color Universal Design", 2008), lightened or darkened until they stand out from the
// background. Without colour, bold, italic, underline and reverse remain.
//
// # Costs
//
// No text is measured twice, and buffers are reused: a frame of 200 by 60 cells
// costs a fraction of a millisecond and one allocation.
//
// No type in this package is safe for concurrent use.
package paint
