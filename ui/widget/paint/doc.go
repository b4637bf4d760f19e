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
// A Theme has one Style for each meaning, prepared once as the bytes that switch it on
// and off: painting a cell is two appends. There are two themes, each for dark and for
// light backgrounds: NewTheme with moderate contrast, and HighContrast. Blue is the
// accent: the focus and keys. Methods have quiet hues by their family. No theme sets a
// background: that of the terminal stays, and the selected row reverses it.
//
// Meaning is never carried by colour alone: the painting code also writes a glyph ("x"
// error, "?" not parsed, "~" server request, ">" and "<" the direction). Colours are the
// sixteen of the terminal's palette or, where supported, the hues of Okabe and Ito
// ("Color Universal Design", 2008), lightened or darkened until they stand out from the
// background. Without colour, bold, underline and reverse remain.
//
// # Costs
//
// No text is measured twice, and buffers are reused: a frame of 200 by 60 cells
// costs a fraction of a millisecond and one allocation.
//
// No type in this package is safe for concurrent use.
package paint
