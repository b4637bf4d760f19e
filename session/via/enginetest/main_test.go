//go:build linux

package enginetest_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/exectest"
	"mcpdbg/session/via/enginetest"
)

func TestMain(m *testing.M) {
	if exectest.HelperMain() || enginetest.Main() {
		return
	}
	os.Exit(m.Run())
}

// An outcome is how a client has ended.
type outcome struct {
	code     int
	out, err string
}

// clientOf returns a client that is not started yet.
func clientOf(e *enginetest.Engine, words ...string) *exec.Cmd {
	cmd := exec.Command(e.Program(words[0]), words[1:]...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "SHARED=of the client"}
	return cmd
}

// call runs a client with an empty input.
func call(t *testing.T, e *enginetest.Engine, words ...string) outcome {
	t.Helper()
	return finish(t, clientOf(e, words...))
}

func finish(t *testing.T, cmd *exec.Cmd) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Start())
	defer exectest.KillAfterLimit(cmd.Process)()
	err := cmd.Wait()
	if _, ok := errors.AsType[*exec.ExitError](err); !ok {
		require.NoError(t, err)
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// says runs a client that must succeed, and returns its output.
func says(t *testing.T, e *enginetest.Engine, words ...string) string {
	t.Helper()
	o := call(t, e, words...)
	require.Zero(t, o.code, "%v: %s", words, o.err)
	return strings.TrimSpace(o.out)
}

// helper returns the words that run steps in a container.
func helper(t *testing.T, steps ...string) []string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return append([]string{self}, exectest.HelperArgs(steps...)...)
}

// engines runs a test with isolated and with plain containers.
func engines(t *testing.T, test func(t *testing.T, e *enginetest.Engine)) {
	t.Helper()
	for name, o := range map[string]enginetest.Options{"isolated": {}, "plain": {Plain: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := enginetest.New(t, o)
			if !o.Plain && !e.Isolated {
				exectest.NeedRoot(t)
			}
			e.Container(t, "web", enginetest.ContainerOptions{Service: "shop"})
			test(t, e)
		})
	}
}
