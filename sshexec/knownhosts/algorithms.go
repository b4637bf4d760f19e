package knownhosts

import (
	"slices"

	"golang.org/x/crypto/ssh"
)

// An algorithm is one way for a host to prove its identity.
type algorithm struct {
	name string
	key  string // the required type of key
	cert bool   // a certificate is required too
}

// In order of preference: ed25519 is the one that OpenSSH itself records. Certificates
// come last, because they prove nothing about a host without an authority on record.
var algorithms = []algorithm{
	{ssh.KeyAlgoED25519, ssh.KeyAlgoED25519, false},
	{ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA256, false},
	{ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA384, false},
	{ssh.KeyAlgoECDSA521, ssh.KeyAlgoECDSA521, false},
	{ssh.KeyAlgoSKED25519, ssh.KeyAlgoSKED25519, false},
	{ssh.KeyAlgoSKECDSA256, ssh.KeyAlgoSKECDSA256, false},
	{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSA, false},
	{ssh.KeyAlgoRSASHA256, ssh.KeyAlgoRSA, false},
	{ssh.CertAlgoED25519v01, ssh.KeyAlgoED25519, true},
	{ssh.CertAlgoECDSA256v01, ssh.KeyAlgoECDSA256, true},
	{ssh.CertAlgoECDSA384v01, ssh.KeyAlgoECDSA384, true},
	{ssh.CertAlgoECDSA521v01, ssh.KeyAlgoECDSA521, true},
	{ssh.CertAlgoSKED25519v01, ssh.KeyAlgoSKED25519, true},
	{ssh.CertAlgoSKECDSA256v01, ssh.KeyAlgoSKECDSA256, true},
	{ssh.CertAlgoRSASHA512v01, ssh.KeyAlgoRSA, true},
	{ssh.CertAlgoRSASHA256v01, ssh.KeyAlgoRSA, true},
}

// DSA by its protocol names. The constants of x/crypto are marked as deprecated, rightly,
// but some hosts have nothing else.
const (
	dsaKey  = "ssh-dss"
	dsaCert = "ssh-dss-cert-v01@openssh.com"
)

// weak algorithms are requested only if the configuration lists them.
var weak = []algorithm{
	{ssh.KeyAlgoRSA, ssh.KeyAlgoRSA, false},
	{dsaKey, dsaKey, false},
	{ssh.CertAlgoRSAv01, ssh.KeyAlgoRSA, true},
	{dsaCert, dsaKey, true},
}

// Algorithms returns the value of ssh.ClientConfig.HostKeyAlgorithms for host
// on port: first certificates, if an authority is on record for the host, and
// the types of the recorded keys, then the rest.
//
// configured is the list that the user's configuration allows
// (HostKeyAlgorithms), in order; empty means all but ssh-rsa (SHA-1) and
// ssh-dss. Unsupported names are skipped. If none is left, configured is
// returned unchanged, so that the handshake fails instead of using another
// algorithm.
func (db *DB) Algorithms(host string, port int, configured []string) []string {
	allowed := allow(configured)
	if len(allowed) == 0 {
		return slices.Clone(configured)
	}
	named, bare := db.find(host, port)
	if len(named) == 0 {
		named = bare // as Check does
	}
	onRecord := map[string]bool{}
	authority := false
	for _, e := range named {
		if e.marker == markCA {
			authority = true
		} else {
			onRecord[e.typ] = true
		}
	}
	var certs, keys, rest []string
	for _, a := range allowed {
		switch {
		case a.cert && authority:
			certs = append(certs, a.name)
		case !a.cert && onRecord[a.key]:
			keys = append(keys, a.name)
		default:
			rest = append(rest, a.name)
		}
	}
	return slices.Concat(certs, keys, rest)
}

// allow keeps the order of configured.
func allow(configured []string) []algorithm {
	if len(configured) == 0 {
		return algorithms
	}
	var allowed []algorithm
	for _, name := range configured {
		for _, a := range slices.Concat(algorithms, weak) {
			if a.name == name && !slices.Contains(allowed, a) {
				allowed = append(allowed, a)
			}
		}
	}
	return allowed
}
