package target

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVia checks that a server with any prefix never runs without it, and that values
// never become further words.
func TestVia(t *testing.T) {
	opts := testOptions(t)
	opts.LookupEnv = func(name string) (string, bool) {
		return map[string]string{"EVIL": "a b; rm 'x'\n-it $(id) ${EVIL}", "DASH": "-it"}[name], true
	}
	for _, c := range []struct {
		entry string
		via   []string
		why   string
	}{
		{`"via":"docker exec -i 'my web'"`, []string{"docker", "exec", "-i", "my web"}, ""},
		{`"via":["docker","exec","-i","a b"]`, []string{"docker", "exec", "-i", "a b"}, ""},
		{`"via":"docker exec -i ${EVIL} ${DASH}"`, []string{"docker", "exec", "-i", "a b; rm 'x'\n-it $(id) ${EVIL}", "-it"}, ""},
		{`"via":"sudo -nu svc","ssh":"h"`, []string{"sudo", "-nu", "svc"}, ""},
		{`"via":""`, nil, "via: empty"},
		{`"via":"''"`, nil, "via: empty"},
		{`"via":[]`, nil, "via: empty"},
		{`"via":"a; b"`, nil, "via: unquoted ; at character 2: no shell runs this, quote it"},
		{`"via":"a 'b"`, nil, "via: unclosed quote at character 3"},
		{`"via":null`, nil, "via: neither a string nor a list"},
		{`"via":true`, nil, "via: neither a string nor a list"},
		{`"via":["a",1]`, nil, "via: an item is not a string"},
		{`"via":"a","via":"b"`, nil, "duplicate key via"},
	} {
		file, err := Parse("/p/.mcp.json", []byte(`{"mcpServers":{"s":{"command":"./x",`+c.entry+`}}}`), opts)
		require.NoError(t, err)
		e := file.Entries[0]
		why, _ := e.Why()
		require.Equal(t, c.why, why, c.entry)
		s, err := e.Resolve(none)
		if c.why != "" {
			require.ErrorIs(t, err, ErrNotStartable)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.via, s.Prefix(), c.entry)
		require.Equal(t, []string{"./x"}, s.Args(), "a program there is not looked for here")
		require.Empty(t, s.Dir, "a folder of this machine is not used there")
	}
}

func TestViaHasFoldersAndInputsOfItsOwn(t *testing.T) {
	file, err := Parse("/p/.vscode/mcp.json", []byte(`{"servers":{"s":{"command":"x","cwd":"sub","via":"docker exec -i web"}}}`), testOptions(t))
	require.NoError(t, err)
	_, err = file.Entries[0].Resolve(none)
	require.ErrorContains(t, err, "cwd is a directory of the place that via leads to")

	file, err = Parse("/p/.vscode/mcp.json", []byte(`{"inputs":[{"id":"who","type":"promptString","password":true}],`+
		`"servers":{"s":{"command":"x","cwd":"/srv","via":["sudo","-nu","${input:who}"]}}}`), testOptions(t))
	require.NoError(t, err)
	require.Len(t, file.Entries[0].Inputs, 1)
	s, err := file.Entries[0].Resolve(func(in Input) (string, error) {
		if in.ID != "who" {
			return "", errors.New("another input")
		}
		return "svc -s", nil
	})
	require.NoError(t, err)
	require.Equal(t, "/srv", s.Dir)
	require.Equal(t, []string{"sudo", "-nu", "svc -s"}, s.Prefix())
	require.Equal(t, []string{"sudo", "-nu", "${who}"}, s.MaskedPrefix())
	require.Len(t, s.Secrets(), 1)
}
