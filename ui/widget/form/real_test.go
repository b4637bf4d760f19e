package form

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

type tool struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"inputSchema"`
}

func tools(t *testing.T, server string) (all []tool) {
	t.Helper()
	require.NoError(t, json.Unmarshal(fixture(t, "tools-"+server+".json"), &all))
	require.NotEmpty(t, all)
	return all
}

// TestRealTools checks that every tool of some real servers becomes a form of
// fields, and that each form can be checked.
func TestRealTools(t *testing.T) {
	texts := map[string]bool{} // the fields that are JSON text
	for _, server := range []string{"everything", "gopls", "gosdk"} {
		for _, tool := range tools(t, server) {
			f := New(tool.Schema, Options{})
			checks, err := f.compiled()
			require.NoError(t, err, "%s %s", server, tool.Name)
			require.Empty(t, checks.Unchecked())
			require.Equal(t, kindObject, f.root.is(), "%s %s", server, tool.Name)
			for _, r := range f.rows {
				if r.field.is() == kindJSON {
					texts[server+" "+tool.Name+r.field.path()] = true
				}
			}
			problems, err := f.Problems()
			require.NoError(t, err)
			for _, p := range problems {
				require.True(t, p.Missing, "%s %s: %s", server, tool.Name, p)
			}
		}
	}
	require.Empty(t, texts)
}

// TestRealCalls fills in forms of real tools by hand.
func TestRealCalls(t *testing.T) {
	for name, keys := range map[string][]string{
		`everything get-sum {"a":1,"b":2.5}`:                       {"1", "2.5"},
		`everything echo {"message":"hi"}`:                         {"hi"},
		`everything get-structured-content {"location":"Chicago"}`: {"ch"},
		`gopls go_search {"query":"Form"}`:                         {"Form"},
		`gosdk greet {"name":"Ada"}`:                               {"Ada"},
	} {
		var server, want string
		var call tool
		_, err := fmt.Sscanf(name, "%s %s %s", &server, &call.Name, &want)
		require.NoError(t, err)
		for _, tl := range tools(t, server) {
			if tl.Name == call.Name {
				call = tl
			}
		}
		f := New(call.Schema, Options{})
		f.SetSize(80, 20)
		f.moveTo(0)
		for _, k := range keys {
			press(t, f, k)
			f.Next()
		}
		require.Equal(t, want, sent(t, f))
		require.False(t, f.FirstError(), name)
	}
}
