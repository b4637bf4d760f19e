// Package uritemplate lists the variables of URI templates (RFC 6570) and
// expands them.
//
// Servers offer resources by such templates, and the user types one text for each
// variable. All operators and the prefix modifier are supported. Values are always
// strings: lists and maps are not supported, and the explode modifier is ignored.
// Text outside of braces stays as it is.
package uritemplate
