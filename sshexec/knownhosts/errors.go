package knownhosts

import (
	"fmt"
	"strings"

	"golang.org/x/crypto/ssh"

	"mcpdbg/internal/wording"
)

// A Subject is the host and the key that an error is about.
type Subject struct {
	Host        string // as requested
	Port        int
	Key         ssh.PublicKey // the plain key, even if a certificate was sent
	Type        string        // "ssh-ed25519"
	Fingerprint string        // "SHA256:…"
}

// Name returns the host as known_hosts names it: "host" or "[host]:port".
func (s *Subject) Name() string { return newQuery(s.Host, s.Port).name }

// An UnknownError reports that no key of a host is on record.
type UnknownError struct {
	Subject
	// Certificate is why a certificate was rejected although its authority is
	// on record; nil if there was none.
	Certificate error
}

// Line returns the line that would record the key, without a newline.
func (e *UnknownError) Line() string { return Line(e.Host, e.Port, e.Key, false) }

func (e *UnknownError) Error() string {
	text := fmt.Sprintf("no host key of %s is on record; it sent %s %s", quote(e.Name()), e.Type, e.Fingerprint)
	if e.Certificate != nil {
		text += " with an invalid certificate: " + e.Certificate.Error()
	}
	return text
}

// Unwrap returns why the certificate was rejected, if it was.
func (e *UnknownError) Unwrap() error { return e.Certificate }

// A RecordedKey key is one on record.
type RecordedKey struct {
	File        string
	Line        int
	Type        string
	Fingerprint string
}

// A ChangedError reports that other keys of the host are on record, but not
// this one. Never offer the user to accept it.
type ChangedError struct {
	Subject
	File      string // file of the first of Conflicts
	Line      int
	Conflicts []RecordedKey // in the order of the files; at least one
	Remedy    string        // how to remove the first of Conflicts, for people
}

func (e *ChangedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the host key of %s has changed: it sent %s %s, but the recorded key is ", quote(e.Name()), e.Type, e.Fingerprint)
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
	b.WriteString("; the connection may be intercepted")
	return b.String()
}

const maxConflicts = 4

// A RevokedError reports that the key, or the authority that signed its
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
	return fmt.Sprintf("%s revoked by %s:%d: it may be compromised", what, e.File, e.Line)
}

func (db *DB) changed(s Subject, conflicts []*entry) *ChangedError {
	first := conflicts[0]
	err := &ChangedError{Subject: s, File: first.file, Line: first.line}
	for _, e := range conflicts {
		err.Conflicts = append(err.Conflicts, RecordedKey{e.file, e.line, e.typ, fingerprint(e.blob)})
	}
	err.Remedy = fmt.Sprintf("delete line %d of %s", first.line, first.file)
	// ssh-keygen -R removes whole lines, and refuses to edit a file with a line
	// that it cannot parse.
	if !strings.ContainsAny(first.names.patterns, ",*?!") && !db.broken[first.file] {
		err.Remedy = fmt.Sprintf("ssh-keygen -f %s -R %s", wording.ShellQuote(first.file), wording.ShellQuote(s.Name()))
	}
	return err
}

// Ordinary names are unchanged.
func quote(name string) string {
	if q := fmt.Sprintf("%q", name); q != `"`+name+`"` || strings.ContainsAny(name, " ") {
		return q
	}
	return name
}
