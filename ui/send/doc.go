// Package send writes messages to the server: those that the user composes, and responses
// to requests of the server.
//
// The Composer is a pane for JSON, raw bytes, and the arguments of a tool, a prompt or a
// resource template, in a form that knows their schema and asks the server for
// completions. The texts and the form stay when the pane closes, and with a folder for
// drafts, when the program ends.
//
// A request of the server opens as a view with a form, or the response as JSON; its text
// stays while the request is pending. The policies choose which methods are answered
// without the user. Requests are what a session keeps of both.
package send
