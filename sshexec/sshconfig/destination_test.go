package sshconfig

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseDestination(t *testing.T) {
	for in, want := range map[string]Destination{
		"build-7":                       {Host: "build-7"},
		"Build.Example":                 {Host: "Build.Example"},
		"ann@build":                     {Host: "build", User: "ann"},
		"ann@build:2222":                {Host: "build", User: "ann", Port: 2222},
		"build:65535":                   {Host: "build", Port: 65535},
		"192.0.2.1:22":                  {Host: "192.0.2.1", Port: 22},
		"::1":                           {Host: "::1"},
		"ann@2001:db8::1":               {Host: "2001:db8::1", User: "ann"},
		"[2001:db8::1]":                 {Host: "2001:db8::1"},
		"[2001:db8::1]:2222":            {Host: "2001:db8::1", Port: 2222},
		"[build]:2222":                  {Host: "build", Port: 2222},
		"fe80::1%eth0":                  {Host: "fe80::1%eth0"},
		"ann@example.com@build":         {Host: "build", User: "ann@example.com"},
		`CORP\ann@build`:                {Host: "build", User: `CORP\ann`},
		"ssh://build":                   {Host: "build"},
		"SSH://ann@build:22/":           {Host: "build", User: "ann", Port: 22},
		"ssh://ann%40corp@[::1]:22":     {Host: "::1", User: "ann@corp", Port: 22},
		"ssh://[fe80::1%25eth0]:22":     {Host: "fe80::1%eth0", Port: 22},
		"bücher.example":                {Host: "bücher.example"},
		strings.Repeat("a", 200) + ":9": {Host: strings.Repeat("a", 200), Port: 9},
	} {
		d, err := ParseDestination(in)
		require.NoError(t, err, in)
		require.Equal(t, want, d, in)
		again, err := ParseDestination(d.String())
		require.NoError(t, err, in)
		require.Equal(t, d, again, in)
	}
}

func TestParseDestinationRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"":                        "is empty; write a host",
		"-oProxyCommand=x":        "begins with '-'",
		"ann@-x":                  "host that begins with '-'",
		"ssh://-l@x":              "user that begins with '-'",
		"a b":                     "whitespace",
		"a\tb":                    "whitespace",
		" a":                      "whitespace",
		"a\u00a0b":                "whitespace",
		"a\x1b[31m":               "unprintable character U+001B",
		"a\u202eb":                "unprintable character U+202E",
		"a\x00":                   "unprintable",
		"a\xff":                   "UTF-8",
		"ssh://a%0ab":             "whitespace",
		"ssh://a%00b":             "unprintable",
		"ssh://a%zz":              "escape",
		"ssh://ann:secret@host":   "remove it",
		"ann:secret@host":         "remove it",
		"ssh://ann%3Asecret@host": "remove it",
		"ssh://host?x=1":          "query",
		"ssh://host#x":            "fragment",
		"ssh://host/path":         "path",
		"ssh://host//":            "path",
		"host/path":               "path",
		"host?x":                  "query",
		"http://host":             "write ssh://user@host:port",
		"host:":                   "invalid port",
		"host:0":                  "invalid port",
		"host:022":                "invalid port",
		"host:65536":              "write a number from 1 to 65535",
		"host:+22":                "invalid port",
		"host:ssh":                `invalid port "ssh"`,
		"ssh://host:":             "invalid port",
		"@host":                   "no user",
		"ssh://@host":             "no user",
		"ann@":                    "no host",
		"ssh://":                  "no host",
		":22":                     "no host",
		"[]:22":                   "no host",
		"a:b:c":                   "more than one ':'",
		"[::1":                    "no ']'",
		"[::1]22":                 "after ']'",
		"[::g]:22":                "IPv6",
		"a,b":                     "write one host",
		"$(reboot)":               "invalid character in its host",
		"a;b":                     "invalid character in its host",
		"`x`@host":                "invalid character in its user",
		"web*":                    "invalid character in its host",
		strings.Repeat("a", 1025): "longer than",
	} {
		_, err := ParseDestination(in)
		require.ErrorContains(t, err, want, in)
		require.NotContains(t, err.Error(), "secret", in)
		for _, r := range err.Error() {
			require.GreaterOrEqual(t, r, ' ', in)
		}
	}
}

func TestParseDestinations(t *testing.T) {
	list, err := parseDestinations("ann@a:22,ssh://b,[::1]:44")
	require.NoError(t, err)
	require.Equal(t, []Destination{{"a", "ann", 22}, {"b", "", 0}, {"::1", "", 44}}, list)

	_, err = parseDestinations("a,,b")
	require.ErrorContains(t, err, "jump host 2")
	_, err = parseDestinations(strings.Repeat("a,", 16) + "a")
	require.ErrorContains(t, err, "too many jump hosts: 17")
}

func FuzzParseDestination(f *testing.F) {
	for _, s := range []string{
		"a", "u@a:22", "[::1]:22", "ssh://u%40x@a:22/", "a@b@c", "fe80::1%e", "-x", "ssh://[fe80::1%25a]", `d\u@h`, "0\xfb:@",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := ParseDestination(s)
		if err != nil {
			require.Less(t, len(err.Error()), 1000)
			return
		}
		again, err := ParseDestination(d.String())
		require.NoError(t, err)
		require.Equal(t, d, again)
		require.NotRegexp(t, "^-", d.Host)
	})
}
