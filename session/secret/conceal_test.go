package secret_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
	"mcpdbg/session/secret"
)

func TestConcealer(t *testing.T) {
	key := "-----BEGIN KEY-----\nMIIEvQIBADAN\n  Bgkqhkig\nab==\n-----END KEY-----\n"
	c := secret.NewConcealer([]executor.EnvVar{
		{Name: "TOKEN", Value: "sesame-open"}, {Name: "MORE", Value: "sesame-open-wide"}, {Name: "QUOTED", Value: `a"b\c`},
		{Name: "KEY", Value: key}, {Name: "SHORT", Value: "abc"},
	})
	require.Equal(t, len(strings.ReplaceAll(key, "\n", `\n`)), c.Longest())
	for text, want := range map[string]string{
		"":                               "",
		"it is sesame-open-wide":         "it is ${MORE}",
		"sesame-open sesame-open-":       "${TOKEN} ${TOKEN}-",
		`{"x":"a\"b\\c"} a"b\c`:          `{"x":"${QUOTED}"} ${QUOTED}`,
		"abc and more…":                  "abc and more…",
		"cut: sesame-o…, sesam…":         "cut: ${MORE}…, ${MORE}…",
		"of jq: ses ... sesa ... sesame": "of jq: ses ... ${MORE} ... sesame",
		key:                              "${KEY}",
		"it says MIIEvQIBADAN":           "it says ${KEY}",
		"it says Bgkqhkig, and not ab==": "it says ${KEY}, and not ab==",
		"{\"k\":\"" + `-----BEGIN KEY-----\nMIIEvQIBADAN\n  Bgkqhkig\nab==\n-----END KEY-----\n` + "\"}": `{"k":"${KEY}"}`,
	} {
		require.Equal(t, want, c.Text(text))
	}
	require.Equal(t, "sesame", new(secret.Concealer).Text("sesame"))
	require.Zero(t, new(secret.Concealer).Longest())
}
