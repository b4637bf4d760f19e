package knownhosts

import (
	"fmt"
	"strings"

	"golang.org/x/crypto/ssh"
)

// A Subject is the host and the key that an error is about.
type Subject struct {
	Host        string // as it was asked for
	Port        int
	Key         ssh.PublicKey // the plain key, also if a certificate came
	Type        string        // "ssh-ed25519"
	Fingerprint string        // "SHA256:…"
}

// Name returns the host as known_hosts names it: "host" or "[host]:port".
func (s *Subject) Name() string { return newQuery(s.Host, s.Port).name }

// An UnknownError says that nothing is on record about a host.
type UnknownError struct {
	Subject
	// Certificate says why a certificate was not good although its authority
	// is on record; nil if there was none.
	Certificate error
}

// Line returns the line that would record the key, without a newline.
func (e *UnknownError) Line() string { return Line(e.Host, e.Port, e.Key, false) }

func (e *UnknownError) Error() string {
	text := fmt.Sprintf("no host key of %s is on record; it sent %s %s", quote(e.Name()), e.Type, e.Fingerprint)
	if e.Certificate != nil {
		text += " with a certificate that is not good: " + e.Certificate.Error()
	}
	return text
}

// Unwrap returns what is wrong with the certificate, if anything.
func (e *UnknownError) Unwrap() error { return e.Certificate }

// A Recorded key is one on record.
type Recorded struct {
	File        string
	Line        int
	Type        string
	Fingerprint string
}

// A ChangedError says that other keys of the host are on record, and not this
// one. It is never to be offered to a person for acceptance.
type ChangedError struct {
	Subject
	File      string // where the first of Conflicts is
	Line      int
	Conflicts []Recorded // in the order of the files; at least one
	Remedy    string     // how to remove the first of Conflicts, for a person
}

func (e *ChangedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the host key of %s has changed: it sent %s %s, but on record is ", quote(e.Name()), e.Type, e.Fingerprint)
	for i, c := range e.Conflicts {
		if i == maxConflicts {
			fmt.Fprintf(&b, " and %d more", len(e.Conflicts)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %s (%s:%d)", c.Type, c.Fingerprint, c.File, c.Line)
	}
	b.WriteString("; someone may be in between")
	return b.String()
}

// maxConflicts is how many lines an error's text names.
const maxConflicts = 4

// A RevokedError says that the key, or the authority that signed its
// certificate, is marked as revoked.
type RevokedError struct {
	Subject
	Authority string // fingerprint of the revoked authority; empty if the key itself is revoked
	File      string
	Line      int
}

func (e *RevokedError) Error() string {
	what := fmt.Sprintf("the host key that %s sent, %s %s, is", quote(e.Name()), e.Type, e.Fingerprint)
	if e.Authority != "" {
		what = fmt.Sprintf("the authority %s that certified the host key of %s (%s %s) is",
			e.Authority, quote(e.Name()), e.Type, e.Fingerprint)
	}
	return fmt.Sprintf("%s revoked by %s:%d: whoever has it may not be that host, and its owner must give it a new key", what, e.File, e.Line)
}

// changed describes the lines that conflict.
func (db *DB) changed(s Subject, conflicts []*entry) *ChangedError {
	first := conflicts[0]
	err := &ChangedError{Subject: s, File: first.file, Line: first.line}
	for _, e := range conflicts {
		err.Conflicts = append(err.Conflicts, Recorded{e.file, e.line, e.typ, fingerprint(e.blob)})
	}
	err.Remedy = fmt.Sprintf("delete line %d of %s", first.line, first.file)
	// ssh-keygen -R removes whole lines, and refuses to touch a file with a
	// line that it cannot read.
	if !strings.ContainsAny(first.names.patterns, ",*?!") && !db.broken[first.file] {
		err.Remedy = fmt.Sprintf("ssh-keygen -f %s -R %s", shellQuote(first.file), shellQuote(s.Name()))
	}
	return err
}

// quote makes a host name safe to show; ordinary ones stay as they are.
func quote(name string) string {
	if q := fmt.Sprintf("%q", name); q != `"`+name+`"` || strings.ContainsAny(name, " ") {
		return q
	}
	return name
}

// shellQuote makes s one word of a POSIX shell.
func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
