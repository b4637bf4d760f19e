package ui

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCallee(t *testing.T) {
	var c calleeReader
	for params, want := range map[string]string{
		`{"name":"echo","arguments":{"name":"no"}}`:              "echo",
		`{"arguments":{"name":"no","deep":[1,{}]},"name":"yes"}`: "yes",
		`{"arguments":{"name":"no"}}`:                            "",
		`{"name":7}`:                                             "",
		`{"name":"a\u001bb"}`:                                    `a\u001bb`,
		`{"name":"`:                                              "",
		`[]`:                                                     "",
		``:                                                       "",
	} {
		require.Equal(t, want, string(c.read([]byte(params), `"name"`)), params)
	}
	params := []byte(`{"arguments":{"text":"hi"},"name":"echo"}`)
	require.Zero(t, testing.AllocsPerRun(100, func() { c.read(params, `"name"`) }))
}
