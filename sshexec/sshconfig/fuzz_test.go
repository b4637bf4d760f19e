package sshconfig

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzAliases(f *testing.F) {
	f.Add([]byte("Host = \"a b\" !c\\ d # e\nMatch !host=x,!y user \"q\n  Host x y*"))
	f.Add([]byte("host a b\r\nHost \"open\nPort 22\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if strings.Contains(strings.ToLower(string(text)), "include") {
			return // of files that the test must not read
		}
		names := aliasNames{seen: map[string]bool{}}
		l := lister{m: machine{home: "/h"}, host: names.add}
		require.NoError(t, l.text(position{}, true, 0, string(text)))
		for _, name := range names.list {
			_, err := ParseDestination(name)
			require.NoError(t, err)
		}
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
		h, err := s.pathsG(m).hostG(Destination{Host: "x"}, m, nil, settings{})
		if err != nil {
			require.Less(t, len(err.Error()), 4000)
			return
		}
		require.NotEmpty(t, h.HostName)
		require.LessOrEqual(t, h.Port, 65535)
		require.GreaterOrEqual(t, h.ConnectionAttempts, 1)
	})
}
