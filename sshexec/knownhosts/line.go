package knownhosts

import (
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
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

type entry struct {
	file   string
	line   int
	marker marker
	names  names
	typ    string // of the key, as in ssh.PublicKey.Type
	blob   string // the key in wire format
}

// parseLine returns nil for an empty line or a comment. Errors contain nothing of the
// line but a quoted key type.
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

// The comment after the key is ignored.
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

func field(s string) (word, rest string) {
	end := strings.IndexAny(s, " \t")
	if end < 0 {
		return s, ""
	}
	return s[:end], strings.TrimLeft(s[end:], " \t")
}

var errName = errors.New("not a name that known_hosts can hold")

// Line returns the line that records key for host on port, without a newline;
// for a certificate it records the plain key. With hash the name is hashed, as
// HashKnownHosts requests. It is empty for a host that would not be read back
// as one name, such as one with a comma.
func Line(host string, port int, key ssh.PublicKey, hash bool) string {
	if checkName(host) != nil {
		return ""
	}
	name := newQuery(host, port).name
	if hash {
		var salt [sha1.Size]byte
		_, _ = rand.Read(salt[:]) // never fails
		sum := hashName(&salt, name)
		name = hashMagic + strict.EncodeToString(salt[:]) + "|" + strict.EncodeToString(sum[:])
	}
	_, plain := split(key)
	return name + " " + plain.Type() + " " + strict.EncodeToString(plain.Marshal())
}

// checkName rejects a host that a line would not read back as this one name.
func checkName(host string) error {
	if host == "" || len(host) > maxPattern-len("[]:65535") {
		return errName
	}
	if strings.ContainsAny(host, ",*?!|#@[]\"") {
		return errName
	}
	for i := range len(host) {
		if host[i] <= ' ' || host[i] == 0x7f {
			return errName
		}
	}
	return nil
}

// fingerprint is ssh.FingerprintSHA256 of a key in wire format.
func fingerprint(blob string) string {
	sum := sha256.Sum256([]byte(blob))
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}
