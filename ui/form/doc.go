// Package form is a form made from a JSON Schema: the arguments of a tool, the
// arguments of a prompt, the variables of a template, the answer to a server
// that asks. It is a model that edits and paints itself; it runs nothing, and
// whoever embeds it calls a method for each action.
//
// A Form is a tree of fields, one row each. What a field holds is told apart
// in full: absent, null, empty, and a value. A value keeps its bytes until a
// person changes it, so digits, escapes and members that the schema does not
// know survive the way from JSON into the form and back. Whatever the schema
// says in a way that has no fields here, alternatives of objects, patterns of
// names, too much of anything, is a field of JSON text; and a value that is
// not what its schema wants is shown as JSON text too. So nothing is out of
// reach and nothing is lost.
//
// Schemas and values come from outside. Their size, depth and number are
// bounded (limits.go), no reference leaves the schema, the work of a check is
// counted and given up beyond a limit, and their text reaches the screen only
// through ui/paint.
//
// A Form belongs to one goroutine.
package form
