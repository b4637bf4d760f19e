// Package jsontree shows one JSON document as a tree that folds and unfolds,
// byte for byte: numbers, escapes, duplicate keys and their order are those of
// the document, because nothing is decoded for the screen.
//
// The document may have hundreds of megabytes. It is neither copied nor parsed
// as a whole: unfolding a node scans for its direct children only, one page at
// a time and within a budget of bytes. The unscanned part is one line, "…
// 53,500 more of 54,000", which shows the next page when opened. So a tree of
// any size opens in milliseconds, and nothing recurses, whatever the depth. A
// folded node has a preview of its members in the same line, made from its
// first few KiB.
//
// A document that is not JSON is shown as wrapped text, with the place of the
// error. Up to 1 MiB is checked before the tree is shown; in a longer document
// an error is reported when the reader reaches it.
//
// A Tree must be used by one goroutine only. Find, which may take long, depends
// on the document alone and may run in another.
package jsontree
