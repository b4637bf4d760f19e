// Package redact makes a copy of a recording that can be shown to others: what
// [Rules] name is removed, and all else stays byte for byte.
//
// Values of variables, members by name, JSON pointers and shapes of tokens are
// looked for in messages, in JSON inside of their strings, in lines that are no
// JSON, on stderr, and in what the recorder noted. A secret becomes
// [redacted:xxxxxxxx], in a longer text only its own span does. Equal secrets
// are equal in the copy; the salt of the letters is thrown away, so that they
// can't be guessed at and differ between two copies. Types stay: a number
// becomes 0 or 0.0, true becomes false if a pointer names it. What messages are
// paired by, ids and progress tokens, becomes another one in all of them alike.
//
// The copy is a recording like others. Sums, cuts, counts of partial writes and
// the beginnings of lines in waiting entries are those of the new bytes; numbers
// and times stay, and the header counts what was removed by rule. Replay and
// comparison take a [Mark] as equal to anything.
//
// The file is read twice: first what only a look at several entries tells
// (lines in parts), then all. Memory is that of the longest line, and of what
// the first reading found. One pass of an automaton over each payload
// decides which rules have to look at it, so most lines cost no more than that.
//
// Values that the recorder was given are known by length and salted digest only
// ([session.SecretDigests]); [Rules] with Recorded finds them in whole strings
// and in words of texts. The copy has no digests.
//
// What is not found: a secret that is compressed, encrypted or encoded, as in
// base64 or hex (but for percent-encoding, and payloads that the recording has
// in base64 itself); a value that stands over several strings; a pattern that
// stands over several lines, but for private keys; and what no rule names.
package redact
