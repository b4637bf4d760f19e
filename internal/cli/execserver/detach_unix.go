//go:build unix

package execserver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"

	"mcpdbg/internal/cli/console"
	"mcpdbg/session/executor"
)

// maxReport is how much of the errors of a server that does not start is printed.
const maxReport = 4 << 10

// detach starts the server in a session of its own, and returns when it listens.
func detach(ctx context.Context, env *console.Env, o options) error {
	path, err := o.path()
	if err != nil {
		return err
	}
	report, out, err := os.Pipe()
	if err != nil {
		return err
	}
	defer report.Close()
	args := append(slices.Clone(env.Self[1:]), "exec-server", "--listen", prefix+path, "--keep", o.keep.String())
	cmd := exec.Command(env.Self[0], args...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { // a guard would end what carries its mark
		return strings.HasPrefix(v, executor.MarkName+"=")
	})
	err = cmd.Start()
	_ = out.Close()
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })()
	lines := bufio.NewReader(report)
	line, err := lines.ReadString('\n')
	if err == nil && strings.HasPrefix(line, prefix) {
		_, err = fmt.Fprint(env.Stdout, line)
		return err
	}
	rest, _ := io.ReadAll(io.LimitReader(lines, maxReport))
	_ = cmd.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return errors.New("the server did not start: " + strings.TrimSpace(line+string(rest)))
}
