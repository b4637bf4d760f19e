package knownhosts_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"mcpdbg/sshexec/knownhosts"
)

// All combinations of names, ports, markers and keys in a file.
func TestCheck(t *testing.T) {
	key, other := ed(t, "host").pub(), ed(t, "other").pub()
	rsa, ecdsa := pair(t, ssh.KeyAlgoRSA, "host").pub(), pair(t, ssh.KeyAlgoECDSA256, "host").pub()
	ca := ed(t, "ca").pub()
	hashed := func(host string, port int) string {
		return knownhosts.Line(host, port, ed(t, "host").PublicKey(), true)
	}
	for _, c := range []struct {
		name string
		text string
		port int
		want string
	}{
		{"on record", "host " + key, 22, "ok"},
		{"no port is 22", "host " + key, 0, "ok"},
		{"wrong key", "host " + other, 22, "changed"},
		{"other host", "other " + key, 22, "unknown"},
		{"empty file", "", 22, "unknown"},
		{"only another type", "host " + rsa, 22, "changed"},
		{"several types", "host " + rsa + "\nhost " + ecdsa + "\nhost " + key, 22, "ok"},
		{"rotation, old first", "host " + other + "\nhost " + key, 22, "ok"},
		{"rotation, new first", "host " + key + "\nhost " + other, 22, "ok"},
		{"revoked", "host " + key + "\n@revoked * " + key, 22, "revoked"},
		{"revoked before", "@revoked host " + key + "\nhost " + key, 22, "revoked"},
		{"revoked elsewhere", "host " + key + "\n@revoked elsewhere " + key, 22, "revoked"},
		{"other key revoked", "host " + key + "\n@revoked host " + other, 22, "ok"},
		{"only other key revoked", "@revoked host " + other, 22, "unknown"},
		{"only authority, no certificate", "@cert-authority * " + ca, 22, "unknown"},
		{"its key is the authority's", "@cert-authority * " + key, 22, "unknown"},
		{"authority and key", "@cert-authority * " + ca + "\nhost " + key, 22, "ok"},
		{"authority and wrong key", "@cert-authority * " + ca + "\nhost " + other, 22, "changed"},

		{"list of names", "a,host,b " + key, 22, "ok"},
		{"case", "HoSt " + key, 22, "ok"},
		{"star", "* " + key, 22, "ok"},
		{"star within", "h*t " + key, 22, "ok"},
		{"question mark", "h??t " + key, 22, "ok"},
		{"question mark is one byte", "h?st? " + key, 22, "unknown"},
		{"negation", "!host,* " + key, 22, "unknown"},
		{"negation behind", "*,!h* " + key, 22, "unknown"},
		{"negation of another", "!other,* " + key, 22, "ok"},
		{"negation alone", "!other " + key, 22, "unknown"},
		{"negated wrong key", "!host,* " + other + "\nhost " + key, 22, "ok"},

		{"port", "[host]:2222 " + key, 2222, "ok"},
		{"port is another", "[host]:2223 " + key, 2222, "unknown"},
		{"port on record, 22 asked", "[host]:2222 " + key, 22, "unknown"},
		{"22 in brackets", "[host]:22 " + key, 22, "unknown"},
		{"port, wrong key", "[host]:2222 " + other, 2222, "changed"},
		{"port, only 22 on record", "host " + key, 2222, "ok"},
		{"hashed", hashed("host", 22), 22, "ok"},
		{"hashed, another host", hashed("other", 22), 22, "unknown"},
		{"hashed, port", hashed("host", 2222), 2222, "ok"},
		{"hashed, another port", hashed("host", 2223), 2222, "unknown"},
		{"hashed, only 22 on record", hashed("host", 22), 2222, "ok"},
		{"port, another key on 22", "host " + other, 2222, "unknown"},
		{"port, wrong key, right one on 22", "[host]:2222 " + other + "\nhost " + key, 2222, "changed"},
		{"port, star", "* " + key, 2222, "ok"},
		{"port, star, wrong key", "* " + other, 2222, "changed"},
		{"port, star in brackets", "[*]:2222 " + key, 2222, "ok"},
		{"port, any port", "[host]:* " + key, 2222, "ok"},
		{"port, pattern for 22, wrong key", "hos* " + other, 2222, "unknown"},
		{"port, negation", "!host,* " + key, 2222, "unknown"},
		{"port, negation with port", "![host]:2222,* " + key, 2222, "unknown"},
		{"port, negation of another", "![host]:2223,* " + key, 2222, "ok"},
		{"port, revoked on 22", "[host]:2222 " + key + "\n@revoked host " + key, 2222, "revoked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := load(t, c.text+"\n").Check("Host", c.port, ed(t, "host").PublicKey())
			require.Equal(t, c.want, kind(err), "%v", err)
		})
	}
}
