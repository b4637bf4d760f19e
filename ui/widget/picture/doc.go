// Package picture shows PNG, JPEG and GIF pictures in the cells of a terminal: each
// cell is the upper half block with a colour of its own above and below.
//
// Inspect reads only the header of a picture. Decode checks the limits against the
// header before it decodes anything, ends when its context does, and keeps a reduced
// copy: no more than a terminal can show. Fit then gives the rows for a width and a
// height. Of an animation only the first frame is shown.
package picture
