// Package elements shows the messages in the batches of a log as rows.
//
// A recording has one entry for each line, and a batch is one line. A [Source]
// derives a row for each element of a batch on demand, with its own method,
// partner and state, so that whatever reads rows can read elements. They are in
// no file.
package elements
