// Package fields is shared by the composer and the responses to server
// requests: a form, or the same as JSON, that the user edits. actions.go moves
// between the fields and changes them, value.go returns the value to send,
// json.go describes the JSON, and editor.go opens a field or a text in the
// user's editor.
package fields
