// Package picture shows PNG, JPEG and GIF pictures in the cells of a terminal:
// each cell is the upper half block with its own colours above and below.
//
// Inspect reads only the header of a picture. Decode checks the limits against
// the header before it decodes anything, ends when its context does, and keeps
// a reduced copy: no more than a terminal can show. Fit then gives the rows for
// a width and a height. Of an animation only the first frame is shown.
//
// A terminal with the graphics protocol of kitty shows pictures itself:
// Transmit gives it one outside the frame, and PaintHeld paints the cells that
// refer to it.
package picture
