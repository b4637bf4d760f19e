// Package secret keeps the values of secrets out of texts and files. A [Concealer]
// replaces them in texts for people; [Digests] let a later program recognize them
// in a recording, which holds none of them.
package secret
