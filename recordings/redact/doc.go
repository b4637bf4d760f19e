// Package redact copies a recording without secrets, so that it can be shared: whatever
// [Rules] match is removed, and all other bytes stay the same.
//
// The rules apply to messages, to JSON inside their strings, to lines that are not
// JSON, to stderr, and to entries of the recorder. A secret becomes
// [redacted:xxxxxxxx]; in a longer text only its own span is replaced. Equal secrets
// have equal letters in one copy. The salt of the letters is discarded, so they cannot
// be guessed and differ between copies. Types stay: a number becomes 0 or 0.0, and true
// becomes false if a pointer names it. Ids and progress tokens, which pair messages,
// are replaced consistently in all messages.
//
// The copy is a recording like any other. Checksums, cuts, counts of partial writes and
// the heads in waiting entries match the new bytes; entry numbers and times stay, and
// the header counts what was removed by each rule. Replay and comparison treat a [Mark]
// as equal to anything.
//
// The file is read twice: first for lines that span several entries, then completely.
// Memory is that of the longest line plus the results of the first pass. One automaton
// pass over each payload decides which rules need to run, so most lines cost no more
// than that.
//
// The recording has only the lengths and salted digests of values given to the recorder
// ([secret.Digests]). [Rules] with Recorded finds them as whole strings and as words in
// texts. The copy has no digests.
//
// Not found: secrets that are compressed, encrypted or encoded, such as base64 or hex
// (except percent-encoding, and payloads that the recording itself stores in base64);
// values that span several strings; patterns that span several lines, except keys, PGP
// messages and netrc; and anything that no rule matches.
package redact
