package cli

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/session/localexec/watchdog"
)

var initTrace = regexp.MustCompile(`(?m)^init (\S+) @.*?, ([\d.]+) ms clock, (\d+) bytes, (\d+) allocs`)

// A cost is what the initialization of packages allocates.
type cost struct{ bytes, allocs int }

// Every start of the program pays for the initialization of all packages that
// it links, and a session starts it twice: itself, and the demo server or mock.
// One dependency that fills a table there is noticeable. Unlike the time, the
// allocated memory is the same on every machine.
func TestStartupCost(t *testing.T) {
	if clitest.IsStandIn() {
		t.Skip("the test binary, which links more packages, stands for the program")
	}
	// accepted are the modules that may cost more.
	accepted := map[string]cost{
		// It compiles the schemas of all drafts of JSON Schema, in 4 ms or more. No
		// other library knows all drafts, checks schemas and reports the location
		// of each error in a value.
		"github.com/santhosh-tekuri/jsonschema/": {1_800_000, 22_000},
		// The parser of Markdown compiles its regular expressions and fills a table
		// of HTML tags. Only it knows all of CommonMark.
		"github.com/yuin/goldmark/": {260_000, 1_500},
		// It fills the table of its functions. No other library knows all of jq.
		"github.com/itchyny/gojq": {230_000, 2_400},
	}
	const all = "all others"
	accepted[all] = cost{250_000, 2_500}
	cmd := clitest.Program(t, "version")
	// A library looks for clipboard tools in each folder of PATH.
	cmd.Env = append(cmd.Env, "GODEBUG=inittrace=1", "PATH=/usr/bin")
	r := clitest.Finish(t, cmd)
	require.Equal(t, 0, r.Code, r.Stderr)
	inits := initTrace.FindAllStringSubmatch(r.Stderr, -1)
	require.NotEmpty(t, inits)
	sums := map[string]cost{}
	for _, init := range inits {
		of := all
		for prefix := range accepted {
			if strings.HasPrefix(init[1], prefix) {
				of = prefix
			}
		}
		bytes, err := strconv.Atoi(init[3])
		require.NoError(t, err)
		allocs, err := strconv.Atoi(init[4])
		require.NoError(t, err)
		sums[of] = cost{sums[of].bytes + bytes, sums[of].allocs + allocs}
		if of == all && bytes > 10_000 {
			t.Logf("%s: %d bytes, %d allocations", init[1], bytes, allocs)
		}
	}
	for of, most := range accepted {
		require.LessOrEqual(t, sums[of].bytes, most.bytes, of)
		require.LessOrEqual(t, sums[of].allocs, most.allocs, of)
	}
	t.Log(sums)
}

// On Linux the program is also the watchdog of each local server, which pays
// only for the few packages that are initialised before it.
func TestWatchdogStartsBeforeHeavyPackages(t *testing.T) {
	if watchdog.Program == "" {
		t.Skip("servers have no watchdog of their own here")
	}
	cmd := clitest.Program(t)
	cmd.Args = []string{watchdog.Name}
	cmd.Env = append(watchdog.Environ(), "GODEBUG=inittrace=1")
	r := clitest.Finish(t, cmd) // it gets no order, and ends with a failure
	require.Contains(t, r.Stderr, "init os @")
	var sum int
	for _, init := range initTrace.FindAllStringSubmatch(r.Stderr, -1) {
		require.NotContains(t, init[1], "mcpdbg")
		bytes, err := strconv.Atoi(init[3])
		require.NoError(t, err)
		sum += bytes
	}
	t.Logf("%d bytes", sum)
	require.Less(t, sum, 32<<10)
}

func TestMain(m *testing.M) {
	clitest.Main(m, clitest.Entry{Main: Main, Execute: Execute},
		clitest.Role{Variable: bridgeTo, Run: serveBridge}, clitest.Role{Variable: conformanceClient, Run: conform})
}
