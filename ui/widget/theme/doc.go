// Package theme defines the look of things: one Style for each meaning,
// prepared once as the bytes that switch it on and off. Painting a cell is then
// two appends, which keeps a large frame well below a millisecond.
//
// There are two themes, each for dark and for light backgrounds: New with
// moderate contrast, and HighContrast. Blue is the accent: the focus and keys.
// Methods have quiet hues by their family. No theme sets a background: that of
// the terminal stays, and the selected row reverses it.
//
// Meaning is never carried by colour alone: the painting code also writes a
// glyph ("x" error, "?" not parsed, "~" server request, ">" and "<" the
// direction). Colours are the sixteen of the terminal's palette or, where
// supported, the hues of Okabe and Ito ("Color Universal Design", 2008),
// lightened or darkened until they stand out from the background. Without
// colour, bold, underline and reverse remain.
package theme
