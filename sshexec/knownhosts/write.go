package knownhosts

import (
	"crypto/rand"
	"crypto/sha1" // used by OpenSSH to hash names
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"

	"golang.org/x/crypto/ssh"
)

// errName is the error for a host that no line can name.
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

// fingerprint returns ssh.FingerprintSHA256 of a key in wire format.
func fingerprint(blob string) string {
	sum := sha256.Sum256([]byte(blob))
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}
