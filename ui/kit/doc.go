// Package kit holds the building blocks of screens: lists with a cursor,
// pickers that typing narrows, sheets of labels and texts, fields and text
// boxes, a view of bytes, pictures, and the Screen that they are painted on.
//
// The kit does not know sessions, servers or particular screens. It paints text
// into cells of a paint.Lines or a paint.Canvas.
//
// PNG, JPEG and GIF pictures are shown in half blocks: each cell is the upper half with
// its own colours above and below. InspectPicture reads only the header. DecodePicture
// checks the limits against the header before it decodes anything, ends when its context
// does, and keeps a reduced copy; Fit then gives the rows for a width and a height. Of an
// animation only the first frame is shown. A terminal with the graphics protocol of kitty
// gets a picture outside the frame, and PaintHeldPicture paints the cells that refer to
// it.
package kit
