// Package content shows what a message is about, for reading: the texts, pictures,
// links and values in the result of a tool, a resource or a prompt, and errors.
//
// Parse divides a message into parts, at any size and on any goroutine; it reads at
// most MaxBytes. A View lists the parts on the screen, each with a line about it and
// its body below: Markdown, plain text, a tree of JSON, or a picture. Bodies are laid
// out once for a width, and only visible lines are painted.
//
// A picture is decoded by a command, and until then, or without colours, the line
// about it has to do. What needs the shell, such as saving a part or reading a linked
// resource, is done by the detail pane with the Part under the cursor.
package content
