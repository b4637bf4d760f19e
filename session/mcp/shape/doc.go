// Package shape knows the form of every message of the protocol, by method and
// revision: members, their types, which are required, and in which revisions they
// exist. It walks over the bytes of a message that is valid JSON, without decoding
// it, and does not allocate while the message fits.
//
// The tables were written from the specification. They say no more than it does:
// unknown members are allowed everywhere, and the contents of JSON Schemas, of
// structured output and of arguments are not checked.
package shape
