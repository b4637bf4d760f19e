// Package content shows a message for reading: the texts, pictures, links and values in
// the result of a tool, a resource or a prompt, and errors.
//
// Parse divides a message into parts, on any goroutine; it reads at most MaxBytes. A
// View lists the parts, each with a line about it and its body below: Markdown, plain
// text, a tree of JSON, or a picture. Bodies are laid out once for a width, and only
// visible lines are painted.
//
// A picture is decoded by a command; until then, or without colours, the line about it
// has to do. What needs the shell, such as saving a part or reading a linked resource,
// is done by the detail pane.
package content
