// Package kit holds the building blocks of screens: lists with a cursor, pickers
// that typing narrows, sheets of labels and texts, fields and text boxes, a view
// of bytes, and the Screen that all of them are painted on.
//
// The kit knows nothing of sessions, servers or particular screens. It takes text
// and paints it into cells of a paint.Lines or a paint.Canvas.
package kit
