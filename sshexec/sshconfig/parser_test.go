//go:build unix

package sshconfig

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/sshexec/sshtest"
)

// own resolves alias by the files alone.
func own(t *testing.T, text, alias string) (*Host, error) {
	t.Helper()
	file := writeFile(t, filepath.Join(t.TempDir(), "config"), text)
	r := &Resolver{Config: file, Binary: NoBinary, Home: "/home/x"}
	return r.Resolve(t.Context(), Destination{Host: alias})
}

// With the same configuration, both ways lead to the same host.
func TestEverythingByParser(t *testing.T) {
	t.Setenv("WHERE", "/keys")
	t.Setenv("MY_AGENT", "/run/agent")
	want := resolveBoth(t, everything, "x", true)
	got := resolveBoth(t, everything, "x", false)
	require.True(t, strings.HasSuffix(got.Source, "config"), got.Source)
	require.Equal(t, stripped(want), stripped(got))
}

func resolveBoth(t *testing.T, text, alias string, binary bool) *Host {
	file := writeFile(t, filepath.Join(t.TempDir(), "config"), text)
	r := &Resolver{Config: file, Binary: NoBinary, Home: "/home/x"}
	if binary {
		r.Binary = sshtest.Need(t, "ssh")
	}
	h, err := r.Resolve(t.Context(), Destination{Host: alias})
	require.NoError(t, err)
	return h
}

func TestParserRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"Match exec true\n":                    "config:1: only the ssh program can evaluate Match \"exec\"",
		"\nMatch tagged x\n":                   "config:2: only the ssh program",
		"Match localnetwork 10.0.0.0/8":        "only the ssh program",
		"Match\n":                              "has no value",
		"Match host\n":                         "has no value",
		"Match all host x\n":                   "combined",
		"Match user root host x all":           "combined",
		"Host x\n#\n  NoSuch y\n":              `config:3: the keyword "nosuch" is not known`,
		"Host other\nNoSuch y\n":               "not known",
		"IgnoreUnknown X*\nNoSuch y\n":         "not known",
		"CanonicalizeHostname yes\n":           "only the ssh program",
		"Include %d/x\n":                       "only the ssh program",
		"Include /x[a]\n":                      "only the ssh program",
		"Include ~no-such-user/x\n":            "unknown user",
		"Include \"\"\n":                       "bad path",
		"Port 0\n":                             "bad number",
		"Port ssh\n":                           "bad number",
		"Host other\nPort ssh\n":               "config:2: port: bad number",
		"Port 22 23\n":                         "more than one value",
		"Port\n":                               "has no value",
		"Port =\n":                             "has no value",
		"Port #\n":                             "has no value",
		"Port \"22\n":                          "not closed",
		"Port\"22\"\n":                         "no keyword",
		"=Port 22\n":                           "no keyword",
		"\ufeffPort 22\n":                      "no keyword",
		"User \xff\n":                          "no text",
		"User a\x1bb\n":                        "no text",
		"User a\x00b\n":                        "zero byte",
		"User " + strings.Repeat("a", 70000):   "longer than",
		"HostName -x\n":                        "config:1: HostName: bad name",
		"HostName 127.1\n":                     "config:1: HostName: \"127.1\" is a short form",
		"HostName %n\n":                        `config:1: HostName: "%n" holds the token "%n"`,
		"\nHostName a%\n":                      "config:2: HostName: ",
		"ProxyCommand nc %z\n":                 "config:1: ProxyCommand: ",
		"ProxyJump a,-b\n":                     "begins with '-'",
		"ProxyJump none # c\n":                 "a comment behind",
		"ProxyJump x\n":                        "the host itself",
		"ProxyJump a,X@x:22\nUser X\n":         "the host itself",
		"IdentityFile ${MCPDBG_NOT_SET}\n":     "config:1: IdentityFile: the environment variable",
		"IdentityFile ${X\n":                   "no '}'",
		"ControlPath %z\n":                     "config:1: ControlPath: ",
		"UserKnownHostsFile ~no-such-user/x\n": "config:1: UserKnownHostsFile: ",
		"UserKnownHostsFile none a\n":          "stand alone",
		"SetEnv A\n":                           "NAME=VALUE",
		"SendEnv A=b\n":                        "bad name",
		"Ciphers nosuch\n":                     `algorithm "nosuch" is not known`,
		"Ciphers aes*\n":                       "not known",
		"MACs +nosuch\n":                       "not known",
		"KexAlgorithms -*\n":                   "no algorithm is left",
		"HostKeyAlgorithms !ssh-rsa\n":         "not known",
		"RekeyLimit 5\n":                       "less than 16",
		"RekeyLimit 1.5G\n":                    "bad number",
		"RekeyLimit 99999999999999999999\n":    "bad number",
		"ConnectTimeout 1x\n":                  "bad time",
		"ConnectTimeout 999999999w\n":          "bad time",
		strings.Repeat("IdentityFile %n-x\n", 1) + many("IdentityFile", 101): "more than 100",
		strings.Repeat("#", 1<<20+1):                                         "longer than 1048576 bytes",
	} {
		_, err := own(t, text, "x")
		label := text[:min(len(text), 80)]
		require.ErrorContains(t, err, want, label)
		var at *ConfigError
		require.ErrorAs(t, err, &at, label)
		require.True(t, strings.HasSuffix(at.File, "config"), label)
	}
}

func many(keyword string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s /x%d\n", keyword, i)
	}
	return b.String()
}

// What has been decided already needs no ssh to evaluate the rest.
func TestParserSkipsDecided(t *testing.T) {
	h, err := own(t, "Match host other exec \"exit 1\"\n Port 1\nMatch host x\n Port 2\n", "x")
	require.NoError(t, err)
	require.Equal(t, 2, h.Port)

	h, err = own(t, "CanonicalizeHostname no\nHost other\nCanonicalizeHostname yes\n", "x")
	require.NoError(t, err)
	require.Equal(t, "x", h.HostName)
}

func TestParserStandardFiles(t *testing.T) {
	home := t.TempDir()
	config := writeFile(t, filepath.Join(home, ".ssh", "config"), "Include conf.d/*\nHost x\n Port 2222\n")
	writeFile(t, filepath.Join(home, ".ssh", "conf.d", "a"), "Host x\n User ann\n")
	writeFile(t, filepath.Join(home, ".ssh", "conf.d", ".hidden"), "NoSuch\n")
	writeFile(t, filepath.Join(home, ".ssh", "conf.d", "sub", "b"), "NoSuch\n")
	for _, binary := range []string{NoBinary, sshtest.Need(t, "ssh")} {
		r := &Resolver{Binary: binary, Home: home}
		h, err := r.Resolve(t.Context(), Destination{Host: "x"})
		require.NoError(t, err)
		require.Equal(t, 2222, h.Port)
		require.Equal(t, "ann", h.User)
		require.Equal(t, filepath.Join(home, ".ssh", "id_rsa"), h.IdentityFiles[0])
		require.Equal(t, filepath.Join(home, ".ssh", "known_hosts"), h.UserKnownHosts[0])
		if binary == NoBinary {
			require.Contains(t, h.Source, config)
		}
	}
	require.NoError(t, os.Chmod(config, 0o622)) //nolint:gosec // on purpose
	_, err := (&Resolver{Binary: NoBinary, Home: home}).Resolve(t.Context(), Destination{Host: "x"})
	require.ErrorContains(t, err, "can be written by others")
}

func TestParserNoFiles(t *testing.T) {
	h, err := (&Resolver{Binary: NoBinary, Config: "none", Home: "/home/x"}).Resolve(t.Context(), Destination{Host: "X.y", User: "ann"})
	require.NoError(t, err)
	require.Equal(t, "X.y", h.Alias)
	require.Equal(t, "x.y", h.HostName)
	require.Equal(t, "ann", h.User)
	require.Equal(t, 22, h.Port)
	require.Equal(t, "ask", h.StrictHostKeyChecking)
	require.Equal(t, "no configuration file", h.Source)

	_, err = (&Resolver{Binary: NoBinary, Config: "/no/such/file"}).Resolve(t.Context(), Destination{Host: "x"})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, "/no/such/file: ")
}

func TestParserIncludeLoop(t *testing.T) {
	dir := t.TempDir()
	file := writeFile(t, filepath.Join(dir, "config"), "Include "+dir+"/config\n")
	_, err := (&Resolver{Binary: NoBinary, Config: file}).Resolve(t.Context(), Destination{Host: "x"})
	require.ErrorContains(t, err, "more than 16 deep")

	// Not deep, but wide: 2 to the 15th files.
	for i := range 15 {
		next := fmt.Sprintf("Include %s/%d\n", dir, i+1)
		writeFile(t, filepath.Join(dir, fmt.Sprint(i)), next+next)
	}
	_, err = (&Resolver{Binary: NoBinary, Config: filepath.Join(dir, "0")}).Resolve(t.Context(), Destination{Host: "x"})
	require.ErrorContains(t, err, "more than 1024 files")
}

func TestMatchPattern(t *testing.T) {
	for _, c := range []struct {
		s, pattern string
		want       bool
	}{
		{"", "", true}, {"", "*", true}, {"a", "", false}, {"abc", "a*c", true}, {"abc", "a?c", true},
		{"abc", "*b", false}, {"abcbd", "*b?", true}, {"abc", "abc**", true}, {"abc", "a*b*c*d", false},
		{strings.Repeat("a", 5000), strings.Repeat("*a", 50) + "b", false}, // soon
	} {
		require.Equal(t, c.want, matchPattern(c.s, c.pattern), "%.20s %.20s", c.s, c.pattern)
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add([]byte(everything), "x")
	f.Add([]byte("Host = \"a b\" !c\\ d # e\nMatch !host=x,!y user \"q\nInclude x"), "y")
	f.Add([]byte("Match final all\nHostName %h%%\nRekeyLimit 1e 1w\nCiphers ^aes128-cbc\r\n"), "z")
	m := machine{home: "/h", user: "u", uid: "1", hostname: "l.m", getenv: func(string) (string, bool) { return "v", true }}
	f.Fuzz(func(t *testing.T, text []byte, alias string) {
		if strings.Contains(strings.ToLower(string(text)), "include") {
			return // of files that are not ours to read
		}
		l := lister{m: m, seen: map[string]bool{}}
		require.NoError(t, l.text(position{}, true, 0, string(text)))
		for _, name := range l.names {
			_, err := ParseDestination(name)
			require.NoError(t, err)
		}
		p := newParser(m, Destination{Host: alias})
		err := p.text(scope{active: true, user: true}, string(text))
		if err != nil {
			require.Less(t, len(err.Error()), 4000)
			return
		}
		h, err := p.resolved()
		if err != nil {
			require.Less(t, len(err.Error()), 4000)
			return
		}
		require.NotEmpty(t, h.HostName)
		require.Positive(t, h.Port)
		require.NotRegexp(t, "^-", h.HostName)
	})
}

func FuzzParseG(f *testing.F) {
	f.Add([]byte("hostname x\nuser u\nport 22\nidentityfile ~/.ssh/id_%h\nuserknownhostsfile /a /b c\nsetenv A=b c\n"))
	f.Add([]byte("hostname x\nuser u\nport 22\nproxyjump a@b:1,ssh://c\nrekeylimit 5 6\nlocalforward 1 [a]:2\n"))
	f.Add([]byte("port\x00\n\r\n"))
	m := machine{home: "/h", passwdHome: "/root", user: "u", uid: "1", hostname: "l.m", getenv: func(string) (string, bool) { return "v", true }}
	f.Fuzz(func(t *testing.T, out []byte) {
		s, err := parseG(out)
		if err != nil {
			return
		}
		h, err := s.pathsG(m).hostG(Destination{Host: "x"}, m, settings{})
		if err != nil {
			require.Less(t, len(err.Error()), 4000)
			return
		}
		require.NotEmpty(t, h.HostName)
		require.LessOrEqual(t, h.Port, 65535)
		require.GreaterOrEqual(t, h.ConnectionAttempts, 1)
	})
}
