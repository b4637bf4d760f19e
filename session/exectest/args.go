package exectest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Awkward are 32 arguments that shells tend to change.
var Awkward = []string{
	"", " ", "a b", "  two  ", "'", `"`, "$HOME", "${x:-y}", "$(id)", "`id`", "a\nb", "\n", "\t", `\`, `\\`, `tail\`, `\n`, `'\''`, "!x", "a!b",
	"*", "~", "é 語 🙂", "-x", "a=b", "#c", "; & | < > ( )", "%s %d %%", "{a,b}", "[a-z]?", "\x01\x1b\x7f",
	strings.Repeat("0123456789abcde'", 100<<10/16),
}

// RequireArgs checks the output of the helper's step args.
func RequireArgs(t *testing.T, want []string, text string) {
	t.Helper()
	var got []string
	require.NoError(t, json.Unmarshal([]byte(text), &got), "%.200q", text)
	require.Len(t, got, len(want))
	for i := range want {
		if want[i] != got[i] { // one is long
			t.Errorf("argument %d is %.100q and not %.100q", i, got[i], want[i])
		}
	}
}
