// Package form is a form made from a JSON Schema: the arguments of a tool or a
// prompt, the variables of a template, the answer to an elicitation. It edits
// and paints itself, but runs nothing: the view that embeds it calls a method
// for each action.
//
// A Form is a tree of fields, one row each. A field distinguishes absent, null,
// empty and a value. A value keeps its bytes until a person changes it, so
// digits, escapes and members that the schema does not name survive. Parts of a
// schema that cannot be shown as fields (alternatives of objects, patterns of
// names, anything beyond a limit) become a field of JSON text, and so does a
// value that does not match its schema: every value can be edited and nothing
// is lost.
//
// Schemas and values are untrusted. Their size, depth and number are bounded
// (limits.go), references outside the schema are not followed, the work of a
// check is counted and aborted beyond a limit, and their text reaches the
// screen only through ui/widget/paint.
//
// A Form must be used by one goroutine only.
package form
