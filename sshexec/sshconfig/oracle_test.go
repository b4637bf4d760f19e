//go:build unix

package sshconfig

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/sshexec/sshtest"
)

// TestOracle generates configurations and asks both ssh and our own parser what
// they say: the two must agree in every value, or ours must refuse, and what
// ssh refuses ours must refuse too.
func TestOracle(t *testing.T) { oracle(t, 0, 2, 60) }

func oracle(t *testing.T, first, seeds, rounds int) {
	binary := sshtest.Need(t, "ssh")
	t.Setenv("SSH_AUTH_SOCK", "/run/agent.sock")
	t.Setenv("MY_VAR", "value")
	for seed := first; seed < first+seeds; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			// One resolver for all rounds, so that a stale answer would be seen.
			file := filepath.Join(dir, "config")
			ssh := &Resolver{Config: file, Binary: binary}
			own := &Resolver{Config: file, Binary: NoBinary}
			agreed, refused := 0, 0
			for round := range rounds {
				g := generator{rand.New(rand.NewPCG(uint64(seed), uint64(round))), t, dir} //nolint:gosec // repeatable
				text := g.config()
				writeFile(t, file, text)
				dest := g.destination()

				want, sshErr := ssh.Resolve(t.Context(), dest)
				got, ownErr := own.Resolve(t.Context(), dest)
				switch {
				case sshErr != nil:
					require.Error(t, ownErr, "ssh says %v\n%s\n%s", sshErr, dest, text)
				case ownErr != nil:
					refused++
					requireExplained(t, ownErr, text)
				default:
					agreed++
					require.Equal(t, stripped(want), stripped(got), "%s\n%s", dest, text)
				}
			}
			t.Logf("%d agreed, %d refused by us alone, of %d", agreed, refused, rounds)
			require.Greater(t, agreed, rounds/2)
			require.Less(t, refused, rounds/10)
		})
	}
}

func requireExplained(t *testing.T, err error, text string) {
	t.Helper()
	var at *ConfigError
	require.ErrorAs(t, err, &at, text)
	require.NotEmpty(t, at.File, text)
	require.NotZero(t, at.Line, "%v\n%s", err, text)
}

// stripped returns h without what the two may say in other words.
func stripped(h *Host) *Host {
	h.Source = ""
	for i, s := range h.Ignored {
		h.Ignored[i], _, _ = strings.Cut(s, " ")
	}
	// OpenSSH 9.2 does not know the newest, which may have been all that a list
	// had in another place than the default has.
	h.KexAlgorithms = slices.DeleteFunc(h.KexAlgorithms, func(s string) bool { return s == newestKex })
	if slices.Equal(h.KexAlgorithms, algorithms["kexalgorithms"].defaults[1:]) {
		h.KexAlgorithms = nil
	}
	if len(h.ProxyJump) > 0 { // which counts in %C from OpenSSH 9.4 on
		h.ControlPath = regexp.MustCompile("[0-9a-f]{40}").ReplaceAllString(h.ControlPath, "%C")
	}
	return h
}

// A generator writes configurations that are mostly right.
type generator struct {
	*rand.Rand
	t   *testing.T
	dir string
}

// of chooses one of s; those that begin with "✗" are wrong and rare.
func (g generator) of(s ...string) string {
	for {
		v, wrong := strings.CutPrefix(s[g.IntN(len(s))], "✗")
		if !wrong || g.IntN(12) == 0 {
			return v
		}
	}
}

func (g generator) destination() Destination {
	d := Destination{Host: g.of("web", "web", "db-1", "Web", "10.0.0.1", "::1", "fe80:0::1")}
	if g.IntN(4) == 0 {
		d.User = g.of("ann", "bob")
	}
	if g.IntN(4) == 0 {
		d.Port = 22 + 2000*g.IntN(2)
	}
	return d
}

func (g generator) config() string {
	var b strings.Builder
	for range 1 + g.IntN(10) {
		switch g.IntN(8) {
		case 0, 1:
			b.WriteString(g.block())
		case 2:
			if g.IntN(3) == 0 {
				b.WriteString(g.include(0))
			}
		default:
			b.WriteString(g.setting())
		}
	}
	return b.String()
}

func (g generator) block() string {
	patterns := []string{
		"web", "db-?", "*", "w*b", "!web", "!db*", "Web", "10.*", "::1", "web.example", "other", `"web"`, "*.example", "ann",
	}
	var words []string
	if g.IntN(2) == 0 {
		for range 1 + g.IntN(3) {
			words = append(words, g.of(patterns...))
		}
		return g.of("Host ", "host ", "Host=", "  HOST\t", "Host = ") + strings.Join(words, " ") + g.of("\n", " # c\n", "\r\n")
	}
	for range 1 + g.IntN(2) {
		list := g.of(patterns...) + g.of("", "", ","+g.of(patterns...))
		list = strings.ReplaceAll(list, `"`, "")
		words = append(words, g.of("", "", "!")+g.of(
			"host "+list, "originalhost "+list, "user "+g.of("ann", "bob", "*", "root,ann", "!ann,*"),
			"localuser "+g.of("root", "nobody", "*"), "host=web", `Host "`+list+`"`, "✗all", "final", "canonical",
			"✗user", "✗exec /bin/true", "final all",
		))
	}
	return g.of("Match ", "match ", "Match=") + strings.Join(words, " ") + g.of("\n", " # c\n")
}

func (g generator) include(depth int) string {
	name := fmt.Sprintf("inc%d-%d.conf", depth, g.IntN(3))
	text := g.setting() + g.block() + g.setting()
	if depth < 2 && g.IntN(2) == 0 {
		text += g.include(depth + 1)
	}
	writeFile(g.t, filepath.Join(g.dir, name), text)
	return "Include " + g.of(filepath.Join(g.dir, name), filepath.Join(g.dir, "inc?-*.conf"),
		`"`+filepath.Join(g.dir, name)+`"`, filepath.Join(g.dir, "missing"), filepath.Join(g.dir, "*x")) + "\n"
}

func (g generator) algorithms(kind string) string {
	k := algorithms[kind]
	var names []string
	for range 1 + g.IntN(3) {
		names = append(names, g.of(k.all...))
	}
	names = slices.DeleteFunc(names, func(s string) bool { return s == newestKex })
	if len(names) == 0 {
		return "nosuch"
	}
	if g.IntN(5) == 0 && (k.patterns || g.IntN(8) == 0) {
		names = append(names, g.of("ssh-*", "*sha1*", "✗nosuch", "*", "✗!x"))
	}
	return g.of("", "", "+", "-", "^") + strings.Join(names, ",")
}

func (g generator) setting() string {
	path := func() string {
		p := g.of("/keys/id", "~/.ssh/id", "id_%n", "%d/%u-%i", "/k/%h-%p-%r", "/k/%l/%L/%k", "${MY_VAR}/x", "~root/x", "/a%%z", "none")
		if g.IntN(5) == 0 {
			p = g.of(`"/with space/id"`, `'/q/id'`, `/with\ space/x`, "✗/k/%Q", "✗${NO_SUCH_VAR}/x", "✗~nosuchuser/x", "/a#b", "$MY_VAR")
		}
		return p
	}
	yes := func() string { return g.of("yes", "no", "YES", "true", "false", "no", "yes", "✗maybe") }
	number := func() string { return g.of("✗0", "1", "3", "007", "60", "✗-1", "✗x", "✗99999999999") }
	time := func() string { return g.of("0", "5", "1m", "1h30m", "90S", "1d2", "none", "✗5x", "✗-1") }
	all := [][2]string{
		{"HostName", g.of("%h.example", "real.Host", "web", "10.1.2.3", "a%%b-%h", "FE80::0:1", "✗%n", "web.example")},
		{"User", g.of("ann", "bob", "root", `"carl"`, "✗a b")},
		{"Port", g.of("22", "2222", "022", "65535", "✗0", "✗65536", "✗ssh.")},
		{"IdentityFile", path()},
		{"IdentityFile", path()},
		{"CertificateFile", path()},
		{"IdentitiesOnly", yes()},
		{"IdentityAgent", g.of("none", "SSH_AUTH_SOCK", "$MY_VAR", "$NO_SUCH_VAR", "~/agent", "/a/%r", "${MY_VAR}/a")},
		{"UserKnownHostsFile", g.of("none", "~/.ssh/k1 /k/2", "/k/%h ~/k2", "/one", `/a "/b c"`, "~/.ssh/known_hosts ~/.ssh/known_hosts2", "✗none /x")},
		{"GlobalKnownHostsFile", g.of("none", "/dev/null", "/g1 /g2", "~/g")},
		{"HostKeyAlias", g.of("alias", "ALIAS")},
		{"HostKeyAlgorithms", g.algorithms("hostkeyalgorithms")},
		{"PubkeyAcceptedAlgorithms", g.algorithms("pubkeyacceptedalgorithms")},
		{"PubkeyAcceptedKeyTypes", g.algorithms("pubkeyacceptedalgorithms")},
		{"Ciphers", g.algorithms("ciphers")},
		{"MACs", g.algorithms("macs")},
		{"KexAlgorithms", g.algorithms("kexalgorithms")},
		{"StrictHostKeyChecking", g.of("yes", "no", "ask", "off", "accept-new", "Yes", "✗perhaps")},
		{"HashKnownHosts", yes()},
		{"ProxyJump", g.of("none", "jump", "ann@jump:2222,jump2", "ssh://bob@j:22", "[::1]:22", "%h-jump", "jump # c", "web", "✗a,,b", "✗j:x")},
		{"ProxyCommand", g.of("none", "nc %h %p", `sh -c "nc %h %p"`, "nc -X %n%%%r", "✗nc %q", "nc # not a comment")},
		{"ConnectTimeout", time()},
		{"ConnectionAttempts", number()},
		{"ServerAliveInterval", time()},
		{"ServerAliveCountMax", number()},
		{"NumberOfPasswordPrompts", number()},
		{"SendEnv", g.of("LANG LC_*", "A B C", "-LC_*", "✗X=Y", "-*")},
		{"SetEnv", g.of("A=b", "A=b C=d", `"A=b c" D=`, "A=1 A=2", "✗A", "A='x y'")},
		{"AddressFamily", g.of("any", "inet", "inet6", "INET", "✗ipx")},
		{"BindAddress", g.of("192.0.2.1", "*")},
		{"ControlPath", path()},
		{"ControlPath", "~/cm-%C"},
		{"RekeyLimit", g.of("1G", "default", "1g 1h", "default none", "0", "✗5", "16", "2K 5", "✗1X", "9E", "✗1G 1h x")},
		{"PubkeyAuthentication", g.of("yes", "no", "unbound", "host-bound", "✗x")},
		{"PasswordAuthentication", yes()},
		{"KbdInteractiveAuthentication", yes()},
		{"ChallengeResponseAuthentication", yes()},
		{"PreferredAuthentications", g.of("publickey", "publickey,password", "keyboard-interactive", "✗a b")},
		{"RequestTTY", g.of("yes", "no", "force", "auto")},
		{"Compression", yes()},
		{"PermitLocalCommand", yes()},
		{"LocalCommand", "echo hi"},
		{"ForwardX11", yes()},
		{"Tunnel", g.of("no", "yes", "ethernet", "✗x")},
		{"LocalForward", g.of("8080 localhost:80", "8081 localhost:80")},
		{"DynamicForward", "1080"},
		{"ClearAllForwardings", yes()},
		{"CanonicalizeHostname", "no"},
		{"RequiredRSASize", g.of("1024", "2048", "✗x")},
		{"LogLevel", "ERROR"},
		{"VisualHostKey", "yes"},
		{"IgnoreUnknown", g.of("NoSuch*", "UseKeychain,NoSuch")},
		{"NoSuchKeyword", "x"},
		{"UseKeychain", "yes"},
	}
	n := g.IntN(len(all) - 2)
	if g.IntN(40) == 0 {
		n = len(all) - 1 - g.IntN(2)
	}
	key, value := all[n][0], all[n][1]
	if g.IntN(60) == 0 && !leftOut[strings.ToLower(key)] && !strings.HasSuffix(key, "Forward") {
		value = g.of("", `"open`, `""`, "a b c", "#", "=x", "= x")
	}
	return g.of("", "", " ", "\t") + key + g.of(" ", " ", "=", " = ", "\t", "  ") + value + g.of("\n", "\n", " \n", "\r\n", " # c\n")
}
