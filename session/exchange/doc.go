// Package exchange works out whose time an exchange took: that of the server, or that
// of a person (or a program in their place) for whose response or input it waited.
//
// [TimesOf] is the one place that computes it, from the waits of an exchange. A
// [Table] finds these waits in the rows of any log.
package exchange
