// Package theme names what things look like: one Style for each meaning, made
// once, as the bytes that switch it on and off. Painting a cell is then two
// appends, which is what keeps a frame of a large terminal well below a
// millisecond.
//
// Meaning is never carried by colour alone: whoever paints also writes a
// glyph ("x" error, "?" not parsed, "~" a request of the server, ">" and "<"
// the direction). Colours are the sixteen of the terminal's own palette or,
// where the terminal can, the hues of Okabe and Ito ("Color Universal
// Design", 2008), lightened or darkened until they stand out from the
// background. Without colour, bold, underline and reverse remain.
package theme
