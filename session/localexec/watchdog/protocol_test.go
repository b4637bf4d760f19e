package watchdog

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestServerIsDecodedAsItWasEncoded(t *testing.T) {
	for _, s := range []Server{
		{},
		{Path: "/bin/sh", Dir: "a b", Argv: []string{"sh", "", "-c"}, Env: []string{"A=", "B=\x01"}, Leave: []string{"adb"}},
	} {
		b := s.Encode()
		require.Equal(t, len(b)-4, int(number(b)))
		got, ok := decode(b[4:])
		require.True(t, ok)
		require.Equal(t, s, got)
		_, ok = decode(b[4 : len(b)-1])
		require.False(t, ok, "cut")
		_, ok = decode(append(b[4:], 0))
		require.False(t, ok, "too long")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(Server{Path: "/bin/sh", Argv: []string{"sh"}}.Encode()[4:])
	f.Add([]byte{255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, ok := decode(b); ok {
			require.Equal(t, b, s.Encode()[4:])
		}
	})
}

func TestReportIsDecodedAsItWasEncoded(t *testing.T) {
	r := Report{Kind: Exited, Value: 0x8000_00ff}
	require.Equal(t, r, DecodeReport([ReportSize]byte(r.encode())))
}

func TestSpares(t *testing.T) {
	for _, c := range []struct {
		leave       string
		argv0, comm string
		want        bool
	}{
		{"adb", "/usr/bin/adb", "x", true},
		{"adb", "adb", "", true},
		{"adb", "java", "adb", true},
		{"adb", "adbd", "adbd", false},
		{"adb", "/adb/x", "x", false},
		{"", "", "", false},
		{"a-name-of-nineteen-c", "x", "a-name-of-ninet", true},
		{"a-name-of-ninetee", "x", "a-name-of-nine", false},
	} {
		require.Equal(t, c.want, Spares([]string{"other", c.leave}, c.argv0, c.comm), c)
	}
}
