// Package fields is shared by the composer and the responses to server requests: a form,
// or the same as JSON, that the user edits.
package fields
