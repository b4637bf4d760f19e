package cli

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/localexec/watchdog"
)

var initTrace = regexp.MustCompile(`(?m)^init (\S+) @.*?, ([\d.]+) ms clock, (\d+) bytes`)

// Every start of the program pays for the initialization of all packages that
// it links, and a session starts it twice: itself, and the demo server or mock.
// One dependency that fills a table there is noticeable. Unlike the time, the
// allocated memory is the same on every machine.
func TestStartupCost(t *testing.T) {
	const (
		// schemas compiles the schemas of all drafts of JSON Schema, in about 4
		// ms. It is worth that: no other library reports the location of each
		// error in a value.
		schemas      = "github.com/santhosh-tekuri/jsonschema/v6"
		schemaBudget = 2 << 20
		// markdown is the parser of Markdown, which compiles its regular expressions and
		// fills a table of HTML tags. Only it knows all of CommonMark.
		markdown       = "github.com/yuin/goldmark/"
		markdownBudget = 384 << 10
		budget         = 640 << 10 // of all others together
	)
	cmd := program(t, "version")
	cmd.Env = append(cmd.Env, "GODEBUG=inittrace=1")
	r := finish(t, cmd)
	require.Equal(t, 0, r.code, r.stderr)
	inits := initTrace.FindAllStringSubmatch(r.stderr, -1)
	require.NotEmpty(t, inits)
	var sum, most, markdownSum int
	var worst string
	for _, init := range inits {
		bytes, err := strconv.Atoi(init[3])
		require.NoError(t, err)
		if init[1] == schemas {
			require.Less(t, bytes, schemaBudget, schemas)
			continue
		}
		if strings.HasPrefix(init[1], markdown) {
			markdownSum += bytes
			continue
		}
		if sum += bytes; bytes > most {
			most, worst = bytes, init[1]
		}
	}
	t.Logf("%d bytes, most of it %s", sum, worst)
	require.Less(t, sum, budget, "most of it is %s", worst)
	require.Less(t, markdownSum, markdownBudget, markdown)
}

// On Linux the program is also the watchdog of each local server, which pays
// only for the few packages that are initialised before it.
func TestWatchdogStartsBeforeHeavyPackages(t *testing.T) {
	if watchdog.Program == "" {
		t.Skip("servers have no watchdog of their own here")
	}
	cmd := program(t)
	cmd.Args = []string{watchdog.Name}
	cmd.Env = append(watchdog.Environ(), "GODEBUG=inittrace=1")
	r := finish(t, cmd) // it gets no order, and ends with a failure
	require.Contains(t, r.stderr, "init os @")
	var sum int
	for _, init := range initTrace.FindAllStringSubmatch(r.stderr, -1) {
		require.NotContains(t, init[1], "mcpdbg")
		bytes, err := strconv.Atoi(init[3])
		require.NoError(t, err)
		sum += bytes
	}
	t.Logf("%d bytes", sum)
	require.Less(t, sum, 32<<10)
}
