package smoke

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// names returns the hostNames of a configuration with some hosts.
func names(known ...string) hostNames {
	return hostNames{
		Canonical: func(dest string) (string, error) {
			if strings.HasPrefix(dest, "-") {
				return "", errors.New("begins with '-'")
			}
			return strings.TrimPrefix(strings.ToLower(dest), "ssh://"), nil
		},
		Known: func() ([]string, error) { return known, nil },
		Match: func(name, pattern string) bool {
			ok, _ := path.Match(pattern, name)
			return ok
		},
	}
}

func parse(t *testing.T, file, text string) []hostLine {
	t.Helper()
	lines, err := parseHosts(file, strings.NewReader(text))
	require.NoError(t, err)
	return lines
}

func TestHosts(t *testing.T) {
	lines := parse(t, "h", "\ufeff# all of them\r\n\r\n  web-1  # the first\n#web-2\nme@db:22\nweb#4\n\tlocal")
	require.Equal(t, []hostLine{{"web-1", "h", 3}, {"me@db:22", "h", 5}, {"web#4", "h", 6}, {"local", "h", 7}}, lines)
	hosts, repeats, err := names().Choose(lines)
	require.NoError(t, err)
	require.Empty(t, repeats)
	require.Equal(t, []string{"web-1", "me@db:22", "web#4", "local"}, hosts)
}

// The list among the examples is valid.
func TestExampleHosts(t *testing.T) {
	f, err := os.Open("../../../examples/hosts.txt")
	require.NoError(t, err)
	defer f.Close()
	lines, err := parseHosts("hosts.txt", f)
	require.NoError(t, err)
	require.Len(t, lines, 4)
}

func TestPatterns(t *testing.T) {
	n := names("web-1", "db-1", "web-2", "web-9", "web-10")
	for text, want := range map[string][]string{
		"web-*":               {"web-1", "web-2", "web-9", "web-10"},
		"web-?":               {"web-1", "web-2", "web-9"},
		"web-2\nweb-*":        {"web-2", "web-1", "web-9", "web-10"}, // an explicit name comes first
		"web-*\nweb-2\n*-1":   {"web-1", "web-2", "web-9", "web-10", "db-1"},
		"!web-9\nweb-?":       {"web-1", "web-2"}, // wherever the exclusion is
		"web-?\n!web-9\n":     {"web-1", "web-2"},
		"*\n!web-*":           {"db-1"},
		"other\nweb-1\n!web*": {"other"},
	} {
		hosts, repeats, err := n.Choose(parse(t, "h", text))
		require.NoError(t, err, text)
		require.Equal(t, want, hosts, text)
		require.Empty(t, repeats, text)
	}
	hosts, _, err := n.Choose(append(parse(t, "a", "web-?\n!web-9"), parse(t, "b", "web-9")...))
	require.NoError(t, err)
	require.Equal(t, []string{"web-1", "web-2", "web-9"}, hosts, "an exclusion applies to its own list only")
}

func TestRepeats(t *testing.T) {
	lines := append(parse(t, "a", "x\ny"), parse(t, "b", "ssh://X\nz")...)
	hosts, repeats, err := names().Choose(lines)
	require.NoError(t, err)
	require.Equal(t, []string{"x", "y", "z"}, hosts)
	require.Equal(t, []hostRepeat{{"ssh://X", hostLine{"ssh://X", "b", 1}, hostLine{"x", "a", 1}}}, repeats)
}

func TestInvalidLists(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "h: no hosts",
		"# web-1\n\n":                "h: no hosts",
		"[web]\nweb-1\n":             `h:1: invalid host "[web]": groups are not supported, write one host per line`,
		"a\nweb-1 web-2\n":           `h:2: "web-1 web-2" contains a space: write one host per line`,
		"a\x1b[31m":                  `h:1: "a\x1b[31m" is not printable text`,
		"\xff":                       `h:1: "\xff" is not printable text`,
		"a\n!":                       `h:2: missing pattern after "!"`,
		strings.Repeat("a", 1025):    "h:1: longer than 1024 bytes",
		strings.Repeat("a\n", 1e4+1): "h:10001: more than 10000 hosts",
		strings.Repeat("#", 4<<20+1): "h: longer than 4194304 bytes",
	} {
		_, err := parseHosts("h", strings.NewReader(text))
		require.EqualError(t, err, want)
	}
	_, err := parseHosts("h", iotest.ErrReader(fs.ErrPermission))
	require.ErrorIs(t, err, fs.ErrPermission)

	for text, want := range map[string]string{
		"a\n-oProxyCommand=x": "h:2: begins with '-'",
		"a\n# x\nx-*":         "h:3: x-* matches none of the 2 hosts in the ssh configuration",
		"a\n!b":               "h:2: !b excludes none of the hosts in this list",
		"web-*\n!web-3":       "h:2: !web-3 excludes none of the hosts in this list",
		"web-*\n!*":           "h: no hosts",
		"!web-1":              "h:1: !web-1 excludes none of the hosts in this list",
	} {
		_, _, err := names("web-1", "web-2").Choose(parse(t, "h", text))
		require.EqualError(t, err, want)
	}
	flag := []hostLine{{Text: "x-*", File: "--ssh"}}
	_, _, err = names("web-1").Choose(flag)
	require.EqualError(t, err, "--ssh: x-* matches none of the 1 hosts in the ssh configuration")
	broken := names()
	broken.Known = func() ([]string, error) { return nil, fs.ErrPermission }
	_, _, err = broken.Choose(flag)
	require.ErrorIs(t, err, fs.ErrPermission)
}

func TestTooManyHosts(t *testing.T) {
	known := make([]string, maxHosts+1)
	for i := range known {
		known[i] = fmt.Sprint("h", i)
	}
	_, _, err := names(known...).Choose(parse(t, "h", "h*"))
	require.EqualError(t, err, "h:1: more than 10000 hosts")
	_, _, err = names(known[:maxHosts]...).Choose(parse(t, "h", strings.Repeat("h*\n", 11)))
	require.EqualError(t, err, "h:11: more than 100000 hosts, including repeated ones")
}

func FuzzParse(f *testing.F) {
	f.Add("# c\nweb-*\n!web-1\nme@db:22 # x\r\nlocal\nlocal\n")
	f.Add("\ufeff!!a*?\n?\n")
	n := names("web-1", "web-2", "a")
	f.Fuzz(func(t *testing.T, text string) {
		lines, err := parseHosts("h", strings.NewReader(text))
		if err != nil {
			require.Less(t, len(err.Error()), 1000)
			return
		}
		hosts, repeats, err := n.Choose(lines)
		if err != nil {
			require.Less(t, len(err.Error()), 3000)
			return
		}
		require.NotEmpty(t, hosts)
		seen := map[string]bool{}
		for _, host := range hosts {
			canonical, err := n.Canonical(host)
			require.NoError(t, err)
			require.False(t, seen[canonical])
			seen[canonical] = true
			require.NotContains(t, host, "\n")
		}
		require.LessOrEqual(t, len(repeats), len(lines))
	})
}
