//go:build unix

package knownhosts_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"mcpdbg/session/exectest"
	"mcpdbg/sshexec/knownhosts"
)

// waitLimit is how long a test waits for anything before it gives up, however busy
// the machine is.
const waitLimit = 5 * time.Minute

// A realSSH is the OpenSSH client, with a server that it reaches without a
// port.
type realSSH struct {
	ssh, sshd string
	config    string // of the server
	keys      []keyPair
}

func newRealSSH(t testing.TB) *realSSH {
	r := &realSSH{ssh: exectest.Need(t, "ssh"), sshd: exectest.Need(t, "sshd")}
	if os.Geteuid() == 0 {
		require.NoError(t, os.MkdirAll("/run/sshd", 0o755))
	}
	var text strings.Builder
	for _, typ := range []string{ssh.KeyAlgoED25519, ssh.KeyAlgoRSA, ssh.KeyAlgoECDSA256} {
		key := pair(t, typ, "host")
		r.keys = append(r.keys, key)
		fmt.Fprintf(&text, "HostKey %s\n", key.write(t))
	}
	text.WriteString("StrictModes no\nUsePAM no\nPidFile none\nAuthorizedKeysFile none\n")
	r.config = write(t, text.String())
	return r
}

var (
	noKey     = regexp.MustCompile(`No .* host key is known for`)
	offending = regexp.MustCompile(`Offending \S+ key in (.*):(\d+)`)
)

// A question is a check of a host that ssh runs.
type question struct {
	host   string
	port   int
	cert   *ssh.Certificate // of the server, may be nil
	user   []string         // known_hosts files
	global []string
	extra  []string // further options
}

// ask returns ssh's verdict on the host key, and its output.
func (r *realSSH) ask(t testing.TB, q question) (verdict, said string) {
	ctx, cancel := context.WithTimeout(t.Context(), waitLimit)
	defer cancel()
	proxy := r.sshd + " -i -f " + r.config
	if q.cert != nil {
		proxy += " -o HostCertificate=" + write(t, string(ssh.MarshalAuthorizedKey(q.cert)))
	}
	args := []string{"-F", "none", "-T"}
	for _, o := range append(q.extra,
		"ProxyCommand="+proxy,
		"UserKnownHostsFile="+strings.Join(append(q.user, os.DevNull), " "),
		"GlobalKnownHostsFile="+strings.Join(append(q.global, os.DevNull), " "),
		"StrictHostKeyChecking=yes", "UpdateHostKeys=no", "BatchMode=yes", "KexAlgorithms=curve25519-sha256",
		"IdentityAgent=none", "PreferredAuthentications=none") {
		args = append(args, "-o", o)
	}
	args = append(args, "-p", strconv.Itoa(q.port), "--", q.host, "true")
	out, err := exec.CommandContext(ctx, r.ssh, args...).CombinedOutput()
	require.Error(t, err, "the login must fail")
	said = string(out)
	switch {
	case strings.Contains(said, "REVOKED HOST KEY"):
		return "revoked", said
	case strings.Contains(said, "IDENTIFICATION HAS CHANGED"):
		return "changed", said
	case noKey.MatchString(said):
		return "unknown", said
	case strings.Contains(said, "Permission denied"):
		return "ok", said
	}
	require.Fail(t, "ssh failed otherwise", said)
	return "", ""
}

// signed lists the kinds of certificates that the server of a case may have.
var signed = []func(*ssh.Certificate){
	nil,
	func(c *ssh.Certificate) { c.ValidPrincipals = nil },
	func(c *ssh.Certificate) { c.ValidPrincipals = []string{"other", "host"} },
	func(c *ssh.Certificate) { c.ValidPrincipals = []string{"other"} },
	func(c *ssh.Certificate) { c.ValidPrincipals = []string{"h*"} },
	func(c *ssh.Certificate) { c.ValidPrincipals = []string{"HOST"} },
	func(c *ssh.Certificate) { c.ValidPrincipals = []string{"[host]:2222"} },
	func(c *ssh.Certificate) { c.ValidBefore = uint64(time.Now().Add(-time.Hour).Unix()) },
	func(c *ssh.Certificate) { c.ValidAfter = uint64(time.Now().Add(time.Hour).Unix()) },
	func(c *ssh.Certificate) { c.CertType = ssh.UserCert },
	func(c *ssh.Certificate) { c.CriticalOptions = map[string]string{"source-address": "127.0.0.1"} },
	func(c *ssh.Certificate) { c.Extensions = map[string]string{"x@example.com": ""} },
}

// A generator makes random known_hosts files. They avoid the rules that are
// stricter here than in ssh; TestStricterThanSSH has those.
type generator struct {
	*rand.Rand
	t    testing.TB
	port int
}

func (g generator) pick(from ...string) string { return from[g.IntN(len(from))] }

func (g generator) names() string {
	hash := func(host string, port int) string {
		name, _, _ := strings.Cut(knownhosts.Line(host, port, ed(g.t, "host").PublicKey(), true), " ")
		return name
	}
	all := []string{
		"host", "host", "HOST", "host,other", "other", "h*", "*", "?ost", "h??t*", "**h**t", ",host", "host,",
		"[host]:2222", "[host]:2222", "[Host]:2222", "[host]:*", "[*]:2222", "[h*t]:22??", "[host]:22", "[host]:2223",
		"other,[host]:2222,[host]:2223", "host,[host]:2222", "*,!other", "!o*,*", "!other",
		hash("host", 22), hash("host", 2222), hash("other", 22), "|1|bad|hash", "host!", "[host]",
	}
	if g.port == 22 {
		all = append(all, "!host,*", "*,!HOST", "!h*,host", "![host]:22,*", "!,host")
	}
	return g.pick(all...)
}

func (g generator) key() string {
	typ := g.pick(ssh.KeyAlgoED25519, ssh.KeyAlgoRSA, ssh.KeyAlgoECDSA256)
	return pair(g.t, typ, g.pick("host", "host", "other", "third")).pub()
}

func (g generator) line() string {
	switch n := g.IntN(20); {
	case n < 12:
		return g.names() + g.pick(" ", "\t", " \t ") + g.key() + g.pick("", " comment", " # comment", "\r")
	case n < 15:
		return "@cert-authority " + g.names() + " " + ed(g.t, g.pick("ca", "ca", "host", "other")).pub()
	case n == 15:
		return "@revoked * " + g.pick(g.key(), ed(g.t, "ca").pub())
	case n == 16:
		return g.pick("", "# comment", "  ", "\t# host "+g.key())
	default:
		return g.pick("@unknown host "+g.key(), "host", "host ssh-ed25519", "host ssh-ed25519 AAAA", "host ssh-ed25519 ????",
			"host ssh-rsa "+strings.Fields(ed(g.t, "host").pub())[1], "host future-key AAAAC3NzaC1lZDI1NTE5",
			"host 1024 35 1234567", "@revoked", "@cert-authority *", "host rsa-sha2-512 "+strings.Fields(pair(g.t, ssh.KeyAlgoRSA, "host").pub())[1])
	}
}

func (g generator) file() string {
	var lines []string
	for range 1 + g.IntN(4) {
		lines = append(lines, g.line())
	}
	return write(g.t, strings.Join(lines, "\n")+g.pick("\n", "\n", ""))
}

// agreeWithSSH compares n random cases with ssh.
func agreeWithSSH(t *testing.T, seed uint64, n int) {
	r := newRealSSH(t)
	var seen [4]int
	for i := range n {
		g := generator{rand.New(rand.NewPCG(seed, uint64(i))), t, []int{22, 2222}[i%2]}
		q := question{host: g.pick("host", "Host"), port: g.port, user: []string{g.file()}}
		if g.IntN(2) == 0 {
			q.global = []string{g.file()}
		}
		key := r.keys[g.IntN(len(r.keys))]
		sent := key.PublicKey()
		algorithms := []string{sent.Type()}
		if sent.Type() == ssh.KeyAlgoRSA {
			algorithms = []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256}
		}
		if g.IntN(3) == 0 {
			change := signed[g.IntN(len(signed))]
			q.cert = certify(t, ed(t, "ca"), ed(t, "host"), change)
			sent, algorithms = q.cert, []string{ssh.CertAlgoED25519v01}
		}
		q.extra = []string{"HostKeyAlgorithms=" + strings.Join(algorithms, ",")}
		want, said := r.ask(t, q)

		db, _ := knownhosts.Load(slices.Concat(q.user, q.global)...)
		err := db.Check(q.host, q.port, sent)
		got := kind(err)
		if got == "changed" && want == "ok" && q.cert != nil && q.port != 22 {
			// One of our stricter rules, if ssh agrees about the plain key.
			q.extra = []string{"HostKeyAlgorithms=" + ssh.KeyAlgoED25519}
			want, said = r.ask(t, q)
		}
		if got != want {
			for _, file := range slices.Concat(q.user, q.global) {
				text, _ := os.ReadFile(file)
				t.Logf("%s:\n%s", file, text)
			}
			require.Equal(t, want, got, "case %d: port %d, sent %T %s: %v\nssh: %s", i, q.port, sent, sent.Type(), err, said)
		}
		seen[slices.Index([]string{"ok", "unknown", "changed", "revoked"}, got)]++
		if changed, ok := err.(*knownhosts.ChangedError); ok { //nolint:errorlint // as in kind
			m := offending.FindStringSubmatch(said)
			require.True(t, slices.ContainsFunc(changed.Conflicts, func(c knownhosts.RecordedKey) bool {
				return c.File == m[1] && strconv.Itoa(c.Line) == m[2]
			}), "ssh names %s:%s, we %v", m[1], m[2], changed)
		}
	}
	t.Logf("ok %d, unknown %d, changed %d, revoked %d", seen[0], seen[1], seen[2], seen[3])
	for _, count := range seen {
		require.Positive(t, count, "a verdict has no case")
	}
}

func TestAgreesWithSSH(t *testing.T) {
	t.Parallel()
	agreeWithSSH(t, 1, 30)
}

// For a server with all types of keys, and no configured algorithms, ssh and we
// must agree whether the key that is sent is on record.
func TestSteersAsSSH(t *testing.T) {
	t.Parallel()
	steerAsSSH(t, 10)
}

func steerAsSSH(t *testing.T, n int) {
	r := newRealSSH(t)
	for i := range n {
		g := generator{rand.New(rand.NewPCG(3, uint64(i))), t, 22}
		q := question{host: "host", port: 22, user: []string{g.file()}, global: []string{g.file()}}
		if i%3 == 0 {
			q.cert = certify(t, ed(t, "ca"), ed(t, "host"), nil)
		}
		want, said := r.ask(t, q)
		if q.cert != nil && want == "revoked" {
			continue // ssh requests certificates although no authority is on record, and gets the revoked one
		}
		db, _ := knownhosts.Load(slices.Concat(q.user, q.global)...)
		var sent ssh.PublicKey
		for _, algorithm := range db.Algorithms(q.host, q.port, nil) {
			if sent = r.answer(algorithm, q.cert); sent != nil {
				break
			}
		}
		require.Equal(t, want, kind(db.Check(q.host, q.port, sent)), "case %d: %s\n%s", i, sent.Type(), said)
	}
}

// answer returns the key that the server sends for an algorithm, or nil.
func (r *realSSH) answer(algorithm string, cert *ssh.Certificate) ssh.PublicKey {
	switch algorithm {
	case ssh.CertAlgoED25519v01:
		if cert != nil {
			return cert
		}
	case ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256:
		return r.keys[1].PublicKey()
	}
	for _, k := range r.keys {
		if k.PublicKey().Type() == algorithm {
			return k.PublicKey()
		}
	}
	return nil
}

// The rules that are stricter than those of ssh, by design; the test fails if
// ssh changes its behaviour.
func TestStricterThanSSH(t *testing.T) {
	t.Parallel()
	r := newRealSSH(t)
	key := ed(t, "host").pub()
	ca := "@cert-authority * " + ed(t, "ca").pub()
	for _, c := range []struct {
		name      string
		text      string
		port      int
		cert      bool
		want, got string
	}{
		{"revoked under another name", "host " + key + "\n@revoked elsewhere " + key, 22, false, "ok", "revoked"},
		{"negated without the port", "!host,* " + key, 2222, false, "ok", "unknown"},
		{"negated with the port", "![host]:2222,* " + key, 2222, false, "ok", "unknown"},
		{"certificate without authority, right key only on 22",
			"[host]:2222 " + ed(t, "other").pub() + "\nhost " + key, 2222, true, "ok", "changed"},
		{"the same with an authority", ca + "\n[host]:2222 " + ed(t, "other").pub() + "\nhost " + key, 2222, true, "ok", "ok"},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := question{host: "host", port: c.port, user: []string{write(t, c.text+"\n")}}
			sent := ed(t, "host").PublicKey()
			if c.cert {
				q.cert = certify(t, ed(t, "ca"), ed(t, "host"), nil)
				sent = q.cert
				q.extra = []string{"HostKeyAlgorithms=" + ssh.CertAlgoED25519v01}
			}
			want, said := r.ask(t, q)
			require.Equal(t, c.want, want, said)
			db, _ := knownhosts.Load(q.user...)
			require.Equal(t, c.got, kind(db.Check("host", c.port, sent)))
		})
	}
}

// With HostKeyAlias the alias is the name, and the port is ignored.
func TestHostKeyAlias(t *testing.T) {
	t.Parallel()
	r := newRealSSH(t)
	for _, c := range []struct{ name, want string }{
		{"alias", "ok"}, {"[alias]:2222", "unknown"}, {"host", "unknown"}, {"[host]:2222", "unknown"},
	} {
		file := write(t, c.name+" "+ed(t, "host").pub()+"\n")
		want, said := r.ask(t, question{host: "host", port: 2222, user: []string{file}, extra: []string{"HostKeyAlias=alias"}})
		require.Equal(t, c.want, want, said)
		db, _ := knownhosts.Load(file)
		require.Equal(t, c.want, kind(db.Check("alias", 22, ed(t, "host").PublicKey())), c.name)
	}
}

// ssh reads the lines of Add.
func TestAddForSSH(t *testing.T) {
	t.Parallel()
	r := newRealSSH(t)
	for _, hash := range []bool{false, true} {
		for _, port := range []int{22, 2222} {
			file := filepath.Join(t.TempDir(), "known_hosts")
			require.NoError(t, knownhosts.Add(t.Context(), file, "Host", port, ed(t, "host").PublicKey(), hash))
			verdict, said := r.ask(t, question{host: "host", port: port, user: []string{file}})
			require.Equal(t, "ok", verdict, said)
		}
	}
}
