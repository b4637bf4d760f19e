package knownhosts

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/ssh"
)

// strict is base64 as OpenSSH reads it: unused bits must be zero.
var strict = base64.StdEncoding.Strict()

// A marker is the word with an "@" before the names.
type marker byte

const (
	markNone    marker = iota // the key is the host's
	markCA                    // the key signs certificates of hosts
	markRevoked               // the key must never be accepted
)

// An entry is one line.
type entry struct {
	file   string
	line   int
	marker marker
	names  names
	typ    string // of the key, as in ssh.PublicKey.Type
	blob   string // the key in wire format
}

// parseLine parses a line. It returns nil for an empty line or a comment.
// Errors contain nothing of the line but a quoted key type.
func parseLine(line string) (*entry, error) {
	if len(line) > maxLine {
		return nil, fmt.Errorf("line is longer than %d KiB", maxLine>>10)
	}
	line = strings.Trim(line, " \t\r\n")
	if line == "" || line[0] == '#' {
		return nil, nil
	}
	if strings.IndexByte(line, 0) >= 0 {
		return nil, errors.New("line has a zero byte")
	}
	e := &entry{}
	word, rest := field(line)
	if word[0] == '@' {
		switch word {
		case "@cert-authority":
			e.marker = markCA
		case "@revoked":
			e.marker = markRevoked
		default:
			return nil, errors.New("unknown marker")
		}
		if word, rest = field(rest); strings.HasPrefix(word, "@") {
			return nil, errors.New("two markers")
		}
	}
	var err error
	if e.names, err = parseNames(word); err != nil {
		return nil, err
	}
	if e.typ, e.blob, err = parseKey(rest); err != nil {
		return nil, err
	}
	return e, nil
}

// parseKey parses a key type, a key, and a comment, which is ignored.
func parseKey(s string) (typ, blob string, err error) {
	word, rest := field(s)
	if word == "" || word[0] == '#' {
		return "", "", errors.New("no key type")
	}
	encoded, _ := field(rest)
	if encoded == "" {
		return "", "", errors.New("no key")
	}
	wire, err := strict.DecodeString(encoded)
	if err != nil {
		return "", "", errors.New("key is not base64")
	}
	key, err := ssh.ParsePublicKey(wire)
	if err != nil {
		return "", "", fmt.Errorf("unknown or damaged key of type %.64q", word)
	}
	if _, cert := key.(*ssh.Certificate); cert {
		return "", "", errors.New("a certificate, not a key")
	}
	// OpenSSH accepts the names of RSA's signature algorithms for RSA.
	if word == ssh.KeyAlgoRSASHA256 || word == ssh.KeyAlgoRSASHA512 {
		word = ssh.KeyAlgoRSA
	}
	if key.Type() != word {
		return "", "", fmt.Errorf("key is not of the type %.64q", word)
	}
	return word, string(wire), nil
}

// field splits off the first word of s.
func field(s string) (word, rest string) {
	end := strings.IndexAny(s, " \t")
	if end < 0 {
		return s, ""
	}
	return s[:end], strings.TrimLeft(s[end:], " \t")
}
