package dial

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestParse checks the forms of a target.
func TestParse(t *testing.T) {
	stdio := []string{"exec-server", "--listen", "stdio"}
	for text, want := range map[string]Target{
		"codex":               {Argv: append([]string{"codex"}, stdio...)},
		"mcpdbg":              {Argv: append([]string{"mcpdbg"}, stdio...), Own: true},
		"mcpdbg@/opt/mcpdbg":  {Argv: append([]string{"/opt/mcpdbg"}, stdio...), Own: true},
		"unix:/run/x.sock":    {Kind: Unix, Path: "/run/x.sock"},
		"unix:///run/x.sock":  {Kind: Unix, Path: "/run/x.sock"},
		"unix:x":              {Kind: Unix, Path: "x"},
		"ws://127.0.0.1:1":    {Kind: WebSocket, URL: "ws://127.0.0.1:1"},
		"WSS://build-7/exec":  {Kind: WebSocket, URL: "wss://build-7/exec", text: "wss://build-7/exec"},
		"codex exec-server":   {Argv: []string{"codex", "exec-server"}},
		`'my server' "a b" c`: {Argv: []string{"my server", "a b", "c"}},
		"relay tcp://x:1":     {Argv: []string{"relay", "tcp://x:1"}},
	} {
		got, err := Parse(text)
		require.NoError(t, err, text)
		if want.text == "" {
			want.text = text
		}
		require.Equal(t, want, got, text)
	}
}

// TestParseRefuses checks that invalid targets are refused, and that errors have no secrets.
func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "empty",
		"  ":                       "empty",
		"mcpdbg@bin/mcpdbg":        "must be an absolute path",
		"mcpdbg@":                  "must be an absolute path",
		"unix:":                    "requires the path",
		"unix:a\x00b":              "NUL",
		"http://h/":                `unknown scheme "http"`,
		"ws://":                    "no host",
		"ws://h:hunter2":           "invalid URL",
		"ws://u:hunter2@h/":        "user or password",
		"wss://h/?token=hunter2":   "query",
		"wss://h/?":                "query",
		"wss://h/#hunter2":         "fragment",
		"wss://h/ --token hunter2": "invalid URL",
		"server | tee hunter2":     "unquoted |",
		"server 'hunter2":          "unclosed quote",
		`""`:                       "no program",
	} {
		_, err := Parse(text)
		require.ErrorContains(t, err, want, text)
		require.NotContains(t, err.Error(), "hunter2")
	}
}

// FuzzParse checks that a target that is accepted has what its kind needs, and can be written.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"codex", "mcpdbg@/x", "unix:/x", "unix:///x", "ws://h:1/p", "wss://[::1]:1", "a 'b c'", "wss://u@h?q#f"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Parse(text)
		if err != nil {
			return
		}
		switch got.Kind {
		case Command:
			require.NotEmpty(t, got.Argv)
			require.NotEmpty(t, got.Argv[0])
		case Unix:
			require.NotEmpty(t, got.Path)
		case WebSocket:
			require.NotEmpty(t, got.Host())
			require.NotContains(t, got.URL, "?")
			require.NotContains(t, got.URL, "#")
		}
		again, err := Parse(got.String())
		require.NoError(t, err)
		require.Equal(t, got, again)
	})
}

// TestCheck checks where credentials may be sent.
func TestCheck(t *testing.T) {
	secret := Credentials{Token: "x"}
	for text, ok := range map[string]bool{
		"wss://build-7":         true,
		"ws://127.0.0.1:1":      true,
		"ws://[::1]:1":          true,
		"ws://localhost:1":      true,
		"ws://build-7":          false,
		"ws://127.0.0.1.nip.io": false,
		"codex":                 false,
		"unix:/x":               false,
	} {
		target, err := Parse(text)
		require.NoError(t, err)
		require.NoError(t, target.Check(Credentials{}), text)
		require.Equal(t, ok, target.Check(secret) == nil, text)
		require.Equal(t, ok, target.Check(Credentials{Headers: http.Header{"X-Key": {"x"}}}) == nil, text)
	}
	target, _ := Parse("wss://build-7")
	require.ErrorContains(t, target.Check(Credentials{"x", http.Header{"Authorization": {"x"}}}), "both")
}

// TestParseHeaders checks headers from a file, and that errors contain no values.
func TestParseHeaders(t *testing.T) {
	got, err := ParseHeaders("# for build-7\n\nx-key:  a b \nX-Key: c\n")
	require.NoError(t, err)
	require.Equal(t, http.Header{"X-Key": {"a b", "c"}}, got)
	for text, want := range map[string]string{
		"hunter2":                    "line 1: must be NAME: VALUE",
		"a b: hunter2":               "line 1: must be NAME: VALUE",
		"\nHost: hunter2":            "line 2: the header Host",
		"sec-websocket-key: hunter2": "is set by the connection",
		"X: hunter2\x01":             "visible ASCII",
	} {
		_, err := ParseHeaders(text)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "hunter2")
	}
	token, err := ParseToken(" abc\n")
	require.NoError(t, err)
	require.Equal(t, "abc", token)
	for _, text := range []string{"", "\n", "a b", "a\nb", strings.Repeat("é", 3)} {
		_, err := ParseToken(text)
		require.Error(t, err, text)
	}
}

func TestLabel(t *testing.T) {
	for text, want := range map[string]string{
		"codex": "codex", "mcpdbg": "mcpdbg", "mcpdbg@/opt/mcpdbg": "mcpdbg@/opt/mcpdbg", "wss://build-7:8443/x": "build-7", "unix:/run/x": "unix:/run/x",
		"/opt/tools/server --stdio": "server", "": "",
	} {
		target, _ := Parse(text)
		require.Equal(t, want, target.Label(), text)
	}
}
