// Package kit holds the building blocks of screens: lists with a cursor,
// pickers that typing narrows, sheets of labels and texts, fields and text
// boxes, a view of bytes, and the Screen that they are painted on.
//
// The kit does not know sessions, servers or particular screens. It paints text
// into cells of a paint.Lines or a paint.Canvas.
package kit
