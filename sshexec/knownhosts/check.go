package knownhosts

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/ssh"

	"mcpdbg/internal/wording"
)

// Check verifies key, which host on port has sent: the host key itself or a
// host certificate (*ssh.Certificate). It returns nil if that key is on record,
// or an *UnknownError, a *ChangedError or a *RevokedError. It does not check
// that the host owns the key: the key exchange does.
func (db *DB) Check(host string, port int, key ssh.PublicKey) error {
	cert, plain := split(key)
	subject := Subject{Host: host, Port: port, Key: plain, Type: plain.Type(), Fingerprint: ssh.FingerprintSHA256(plain)}
	if e := db.revoked[string(plain.Marshal())]; e != nil {
		return &RevokedError{Subject: subject, File: e.file, Line: e.line}
	}
	if cert != nil {
		if e := db.revoked[string(cert.SignatureKey.Marshal())]; e != nil {
			return &RevokedError{Subject: subject, Authority: ssh.FingerprintSHA256(cert.SignatureKey), File: e.file, Line: e.line}
		}
	}
	named, bare := db.find(host, port)
	v := judge(named, host, cert, plain)
	if v.ok {
		return nil
	}
	if len(v.conflicts) > 0 {
		return db.changed(subject, v.conflicts)
	}
	// As in ssh, the same key on the standard port is sufficient.
	fallback := judge(bare, host, cert, plain)
	if fallback.ok {
		return nil
	}
	return &UnknownError{Subject: subject, Certificate: errors.Join(v.certificate, fallback.certificate)}
}

// The certificate is nil for a plain key.
func split(key ssh.PublicKey) (*ssh.Certificate, ssh.PublicKey) {
	if cert, ok := key.(*ssh.Certificate); ok {
		return cert, cert.Key
	}
	return nil, key
}

// find returns the lines that match host on port, and those that match only the host on
// port 22.
func (db *DB) find(host string, port int) (named, bare []*entry) {
	q := newQuery(host, port)
	for _, e := range db.entries {
		switch e.names.match(q) {
		case matchName:
			named = append(named, e)
		case matchBare:
			bare = append(bare, e)
		}
	}
	return named, bare
}

type verdict struct {
	ok          bool
	conflicts   []*entry // other keys of the host, if none is this one
	certificate error    // of a known authority, why it is invalid
}

// judge compares the certificate, if there is one, and then the plain key.
func judge(entries []*entry, host string, cert *ssh.Certificate, plain ssh.PublicKey) verdict {
	var v verdict
	if cert != nil {
		authority := string(cert.SignatureKey.Marshal())
		for _, e := range entries {
			if e.marker != markCA || e.blob != authority {
				continue
			}
			if v.certificate = checkCertificate(host, cert); v.certificate == nil {
				return verdict{ok: true}
			}
			break
		}
	}
	blob := string(plain.Marshal())
	for _, e := range entries {
		if e.marker != markNone {
			continue
		}
		if e.blob == blob {
			return verdict{ok: true}
		}
		v.conflicts = append(v.conflicts, e)
	}
	return v
}

// The port does not matter for a certificate of a known authority. As in OpenSSH, no
// principals mean all principals, and no critical option is supported.
func checkCertificate(host string, cert *ssh.Certificate) error {
	if cert.CertType != ssh.HostCert {
		return errors.New("not a host certificate")
	}
	switch cert.Signature.Format {
	case ssh.KeyAlgoRSA, dsaKey:
		return fmt.Errorf("signed with %s, which is too weak", cert.Signature.Format)
	}
	if err := new(ssh.CertChecker).CheckCert(lower(host), cert); err != nil {
		// The text may quote all principals, which the server chose.
		return errors.New(wording.ClipValid(strings.TrimPrefix(err.Error(), "ssh: "), maxReason, wording.Ellipsis))
	}
	return nil
}

const maxReason = 200
