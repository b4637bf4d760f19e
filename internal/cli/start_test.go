package cli

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every start of the program pays for the initialization of all packages that
// it links, and a session starts it three times: itself, the watchdog, and the
// demo server or mock. One dependency that fills a table there is felt. What it
// allocates is the same on every machine, the time it takes is not.
func TestStartCostsLittle(t *testing.T) {
	const (
		// schemas compiles the schemas of all drafts of JSON Schema: some 4 ms. It
		// is worth that: no other library tells where in a value each fault is.
		schemas      = "github.com/santhosh-tekuri/jsonschema/v6"
		schemaBudget = 2 << 20
		budget       = 640 << 10 // of all others together
	)
	cmd := program(t, "version")
	cmd.Env = append(cmd.Env, "GODEBUG=inittrace=1")
	r := finish(t, cmd)
	require.Equal(t, 0, r.code, r.stderr)
	inits := regexp.MustCompile(`(?m)^init (\S+) @.*?, ([\d.]+) ms clock, (\d+) bytes`).FindAllStringSubmatch(r.stderr, -1)
	require.NotEmpty(t, inits)
	var sum, most int
	var worst string
	for _, init := range inits {
		bytes, err := strconv.Atoi(init[3])
		require.NoError(t, err)
		if init[1] == schemas {
			require.Less(t, bytes, schemaBudget, schemas)
			continue
		}
		if sum += bytes; bytes > most {
			most, worst = bytes, init[1]
		}
	}
	t.Logf("%d bytes, most of it %s", sum, worst)
	require.Less(t, sum, budget, "most of it is %s", worst)
}
