// Package composer is the pane where messages to the server are written and sent.
// A message is written as JSON or as raw bytes, the arguments of a tool, a prompt
// or a resource template in a form or as JSON; the form knows their schema and
// asks the server for completions. The texts and the form stay when the pane
// closes, and with a folder for drafts, when the program ends.
//
// composer.go is the pane with its views, send.go sends and switches between views,
// callee.go opens the form of an item, completion.go and history.go help to write,
// raw.go and presets.go are raw bytes and malformed messages, drafts.go stores the
// drafts.
package composer
