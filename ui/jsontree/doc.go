// Package jsontree shows one JSON document as a tree that is folded and
// unfolded, byte for byte: numbers, escapes, duplicate keys and their order
// are those of the document, because nothing is ever decoded for the screen.
//
// The document may have hundreds of megabytes. It is neither copied nor parsed
// as a whole: unfolding a node looks for its direct children only, a page of
// them at a time and no further than a budget of bytes. What has not been
// looked at yet is one line, "… more", which goes on when it is opened. So a
// tree opens in milliseconds whatever is in it, and nothing here recurses,
// whatever the depth.
//
// A document that is not JSON is shown as text, wrapped, with the place of the
// error. Up to 1 MiB is checked before the tree is shown; in a longer document
// an error is noticed where the reader comes upon it.
//
// A Tree belongs to one goroutine. Find, which may take long, is a function of
// the document alone and may run in another.
package jsontree
