//go:build linux

package sshexec

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/exectest"
	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshtest"
)

// A login shell sees one constant line. So with any shell arguments, variables
// and the working directory arrive unchanged, output of its startup files is
// separated from the server's, and process lists show nothing of ours.

// A loginShell describes which files a shell reads.
type loginShell struct {
	name string
	// noise is read by every shell, even one that only runs a command. For a
	// shell without such a file it is ~/.ssh/rc, which sshd runs for any shell.
	noise string
	// files add a directory to PATH: LOGIN in a login shell, INTERACTIVE in an
	// interactive one.
	files map[string]string
}

const sshRC = ".ssh/rc"

// posixPaths is for shells that read the file in ENV if they are interactive.
var posixPaths = map[string]string{
	".profile": "export PATH=\"$PATH:LOGIN\" ENV=\"$HOME/.shrc\"\n",
	".shrc":    "case $- in *i*) export PATH=\"$PATH:INTERACTIVE\" ;; esac\n",
}

var loginShells = []loginShell{
	{"bash", ".bashrc", map[string]string{
		".profile": "export PATH=\"$PATH:LOGIN\"\n. ~/.bashrc\n",
		".bashrc":  "case $- in *i*) ;; *) return ;; esac\nexport PATH=\"$PATH:INTERACTIVE\"\n",
	}},
	{"dash", sshRC, posixPaths},
	{"zsh", ".zshenv", map[string]string{
		".zprofile": "export PATH=\"$PATH:LOGIN\"\n", ".zshrc": "export PATH=\"$PATH:INTERACTIVE\"\n",
	}},
	{"fish", ".config/fish/config.fish", map[string]string{
		".config/fish/config.fish": "if status is-login; set -gx PATH $PATH \"LOGIN\"; end\nif status is-interactive; set -gx PATH $PATH INTERACTIVE; end\n",
	}},
	// With a command it is neither a login shell nor interactive.
	{"tcsh", ".tcshrc", nil},
	{"busybox", sshRC, posixPaths},
	{"ksh", sshRC, posixPaths},
	{"mksh", sshRC, posixPaths},
}

// A shellHost is an account with a login shell, and the server to reach it.
type shellHost struct {
	host
	account *sshtest.Account
}

func underLoginShells(t *testing.T, only func(loginShell) bool, test func(t *testing.T, h shellHost, shell loginShell)) {
	program := ordinaryProgram(t)
	for _, shell := range loginShells {
		if only != nil && !only(shell) {
			continue
		}
		t.Run(shell.name, func(t *testing.T) {
			t.Parallel()
			account := sshtest.User(t, sshtest.Shell(t, shell.name))
			s := sshtest.OpenSSH(t, sshtest.Options{User: account.Name, HostKeys: []string{"ed25519"}})
			// Some shells create folders at their first run, and fail when two
			// do so at once.
			require.NoError(t, s.Command(t.Context(), "true").Run())
			test(t, shellHost{host{s, program}, account}, shell)
		})
	}
}

// write writes a file in the home of the account.
func (h shellHost) write(t *testing.T, name, text string) {
	t.Helper()
	file := filepath.Join(h.account.Home, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o755))
}

func (h shellHost) helper(steps ...string) executor.Command {
	return executor.Command{Argv: append([]string{h.program}, exectest.HelperArgs(steps...)...)}
}

// output runs a command to its end and returns its output.
func output(t *testing.T, e *Executor, cmd executor.Command) (stdout, stderr string, p executor.Process) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	cmd.Pinned = true // so that nothing is evicted
	p, err := e.Start(ctx, cmd)
	require.NoError(t, err)
	var text [2]bytes.Buffer
	for after := uint64(0); ; {
		r, err := p.Read(ctx, after, 0, bound)
		require.NoError(t, err)
		require.NoError(t, r.Failure)
		for _, c := range r.Chunks {
			text[c.Stream].Write(c.Data)
		}
		if r.Closed && len(r.Chunks) == 0 {
			return text[executor.Stdout].String(), text[executor.Stderr].String(), p
		}
		after = r.NextSeq - 1
	}
}

// startFailure returns the error of a start.
func startFailure(t *testing.T, e *Executor, cmd executor.Command) *executor.StartError {
	t.Helper()
	_, err := e.Start(t.Context(), cmd)
	var failed *executor.StartError
	require.ErrorAs(t, err, &failed)
	return failed
}

func closing(t *testing.T, e *Executor) *Executor {
	t.Helper()
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

func TestShellsChangeNothing(t *testing.T) {
	t.Parallel()
	const seam = "--seam--"
	require.Len(t, exectest.Awkward, 32)
	underLoginShells(t, nil, func(t *testing.T, h shellHost, shell loginShell) {
		e := closing(t, at(t, h.Server, func(o *Options) { o.PathFrom = PathExplicit }))
		cmd := h.helper(slices.Concat([]string{"cwd", "out", seam, "args"}, exectest.Awkward, []string{"end", "out", seam, "env"})...)
		cmd.Dir = filepath.Join(h.account.Home, " a 'b' \"c\"\n$d \\")
		require.NoError(t, os.Mkdir(cmd.Dir, 0o755))
		cmd.Env = []executor.EnvVar{{Name: "PATH", Value: "/bin: 'x' :/usr/bin"}, {Name: "HOME", Value: "/else where"}}
		for i, value := range exectest.Awkward {
			cmd.Env = append(cmd.Env, executor.EnvVar{Name: "AWKWARD" + strconv.Itoa(i), Value: value})
		}
		// Names that scripts tend to use for themselves.
		for _, name := range []string{"x", "p", "s", "f", "a", "i", "m", "IFS", "PS1", "PS4", "ENV", "BASH_ENV", "CDPATH", "LINE", "REPLY", "MARK", "SHELL", "LC_ALL"} {
			cmd.Env = append(cmd.Env, executor.EnvVar{Name: name, Value: "of " + name + " 'é' \\"})
		}
		stdout, _, p := output(t, e, cmd)
		parts := strings.SplitN(stdout, seam, 3)
		require.Len(t, parts, 3)
		require.Equal(t, cmd.Dir, parts[0])
		exectest.RequireArgs(t, exectest.Awkward, parts[1])
		for _, v := range cmd.Env {
			require.Contains(t, "\n"+parts[2], "\n"+v.Name+"="+v.Value+"\n")
		}
		require.Empty(t, p.Info().Notices)
	})
}

func TestStartupNoiseIsSeparated(t *testing.T) {
	t.Parallel()
	underLoginShells(t, nil, func(t *testing.T, h shellHost, shell loginShell) {
		h.write(t, shell.noise, "printf 'noise on stdout\\nno newline'\nsh -c 'echo noise on stderr >&2'\n")
		stdout, stderr, p := output(t, closing(t, at(t, h.Server)), h.helper("out", "first\n", "err", "second\n"))
		require.Equal(t, "first\n", stdout)
		require.Equal(t, "second\n", stderr)
		notices := p.Info().Notices
		require.Len(t, notices, 1)
		require.Equal(t, "run.noise", notices[0].Code)
		require.Contains(t, notices[0].Text, " 26 bytes to stdout and 16 to stderr")
		require.Contains(t, notices[0].Said, "noise on stdout\nno newline")
		require.Contains(t, notices[0].Said, "noise on stderr")
	})
}

func TestPathOfEachShell(t *testing.T) {
	t.Parallel()
	underLoginShells(t, nil, func(t *testing.T, h shellHost, shell loginShell) {
		dirs := map[PathFrom]string{
			PathLogin:       filepath.Join(h.account.Home, "login bin"),
			PathInteractive: filepath.Join(h.account.Home, "interactive"),
		}
		for from, dir := range dirs {
			require.NoError(t, os.Mkdir(dir, 0o755))
			require.NoError(t, os.Symlink(h.program, filepath.Join(dir, string(from)+"-only")))
		}
		for name, text := range shell.files {
			text = strings.ReplaceAll(text, "INTERACTIVE", dirs[PathInteractive])
			h.write(t, name, strings.ReplaceAll(text, "LOGIN", dirs[PathLogin]))
		}
		plain := closing(t, at(t, h.Server))
		if shell.files == nil {
			h.write(t, shell.noise, fmt.Sprintf("setenv PATH \"${PATH}:%s:%s\"\n", dirs[PathLogin], dirs[PathInteractive]))
		}
		for from := range dirs {
			cmd := h.helper("out", "found")
			cmd.Argv[0] = string(from) + "-only"
			if shell.files != nil {
				e := startFailure(t, plain, cmd)
				require.Equal(t, executor.StartNotFound, e.Code)
				require.Contains(t, e.Hint, "--path-from "+string(from), "%s: %v", from, e)
			}
			stdout, _, _ := output(t, closing(t, at(t, h.Server, func(o *Options) { o.PathFrom = from })), cmd)
			require.Equal(t, "found", stdout)
		}
	})
}

// The interactive PATH has what .bashrc adds where no profile reads it, as the
// installer of nvm leaves it, and what the profile adds.
func TestInteractivePathReadsBashrcWithoutAProfile(t *testing.T) {
	t.Parallel()
	program := ordinaryProgram(t)
	account := sshtest.User(t, sshtest.Shell(t, "bash"))
	h := shellHost{host{sshtest.OpenSSH(t, sshtest.Options{User: account.Name}), program}, account}
	dir := filepath.Join(h.account.Home, "nvm")
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, os.Symlink(h.program, filepath.Join(dir, "nvm-only")))
	h.write(t, ".bash_profile", "export PATH=\"$PATH:/of/the/profile\"\n")
	h.write(t, ".bashrc", "case $- in *i*) PATH="+dir+":$PATH ;; esac\n")
	cmd := h.helper("out", "found")
	cmd.Argv[0] = "nvm-only"
	e := startFailure(t, closing(t, at(t, h.Server)), cmd)
	require.Contains(t, e.Hint, "use --path-from interactive")
	interactive := closing(t, at(t, h.Server, func(o *Options) { o.PathFrom = PathInteractive }))
	stdout, _, _ := output(t, interactive, cmd)
	require.Equal(t, "found", stdout)
	p, err := interactive.Start(t.Context(), h.helper("pid", "hang"))
	require.NoError(t, err)
	path := variable(learn(t, p, 1)[0], "PATH")
	require.Contains(t, path, dir+":")
	require.Contains(t, path, "/of/the/profile")
}

// A startup file that replaces the shell is named, with its line.
func TestStartupFileThatReplacesTheShellIsNamed(t *testing.T) {
	t.Parallel()
	program := ordinaryProgram(t)
	account := sshtest.User(t, sshtest.Shell(t, "bash"))
	h := shellHost{host{sshtest.OpenSSH(t, sshtest.Options{User: account.Name}), program}, account}
	h.write(t, ".bash_profile", "# exec fish\ncase $- in *i*) exec sh ;; esac\n")
	e := closing(t, at(t, h.Server, func(o *Options) { o.PathFrom = PathInteractive }))
	failed := startFailure(t, e, h.helper("hang"))
	require.ErrorContains(t, failed, "the shell did not print its PATH")
	require.Contains(t, failed.Said, ".bash_profile:2:case $- in *i*) exec sh ;; esac")
	require.NotContains(t, failed.Said, "fish")
	require.Contains(t, failed.Hint, "replace the shell")
}

// hasNoise reports whether a shell reads its own file in every mode.
func hasNoise(s loginShell) bool { return s.noise != sshRC }

func TestStartupFilesThatGetInTheWay(t *testing.T) {
	t.Parallel()
	underLoginShells(t, hasNoise, func(t *testing.T, h shellHost, shell loginShell) {
		for _, c := range []struct {
			name, text string
			want       executor.StartCode
			said       string
		}{
			{"writes and hangs", "echo waiting for the licence server\nsleep 1000\n", executor.StartTimeout, "licence server"},
			{"becomes another program", "exec true\n", executor.StartNoMarker, ""},
			{"asks for more", "exec sh -c 'echo Password:; read x; exit 1'\n", executor.StartNoMarker, "Password:"},
			{"prints 1 MB", "head -c 1000000 /dev/zero | tr '\\000' x\n", executor.StartNoMarker, "xxxx"},
			{"prints without end", "yes\n", executor.StartNoMarker, "y\ny\n"},
		} {
			h.write(t, shell.noise, c.text)
			e := closing(t, at(t, h.Server, awaiting(c.want)))
			failed := startFailure(t, e, h.helper("hang"))
			require.Equal(t, c.want, failed.Code, "%s: %v", c.name, failed)
			require.Contains(t, failed.Said, c.said, c.name)
			require.LessOrEqual(t, len(failed.Said), saidLimit, c.name)
			require.NotEmpty(t, failed.Hint, c.name)
		}
	})
}

// Not parallel: the memory is the program's.
func TestNoiseTakesNoMemory(t *testing.T) {
	program := ordinaryProgram(t)
	account := sshtest.User(t, sshtest.Shell(t, "bash"))
	h := shellHost{host{sshtest.OpenSSH(t, sshtest.Options{User: account.Name}), program}, account}
	h.write(t, ".bashrc", "yes\n")
	e := closing(t, at(t, h.Server))
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	require.Equal(t, executor.StartNoMarker, startFailure(t, e, h.helper("hang")).Code)
	runtime.ReadMemStats(&now)
	require.Less(t, now.TotalAlloc-before.TotalAlloc, uint64(32<<20), "two windows of 2 MiB, and what was read of them")
}

// A shell that hangs during the harvest is under the guard already.
func TestHarvestThatHangsLeavesNoProcess(t *testing.T) {
	t.Parallel()
	program := ordinaryProgram(t)
	account := sshtest.User(t, sshtest.Shell(t, "bash"))
	h := shellHost{host{sshtest.OpenSSH(t, sshtest.Options{User: account.Name}), program}, account}
	h.write(t, ".profile", "case $- in *i*) trap '' TERM HUP; sleep 1000; sleep 1000 ;; esac\n")
	e := closing(t, at(t, h.Server, func(o *Options) { o.PathFrom, o.StartTimeout = PathInteractive, 8*time.Second }))
	failed := startFailure(t, e, h.helper("hang"))
	require.Equal(t, executor.StartTimeout, failed.Code)
	require.ErrorContains(t, failed, "the shell did not print its PATH within 8s")
	require.Contains(t, failed.Hint, "--path-from plain")
	left, _ := exectest.UntilNone(0, func() []int { return startedBy(h.Server) })
	require.Empty(t, left, exectest.Describe(left))
}

// Process lists show no argument or variable of the server, nor a mark, except
// for the server itself.
func TestProcessListsShowNoSecrets(t *testing.T) {
	t.Parallel()
	const value, argument = "hunter2-of-a-variable", "hunter2-of-an-argument"
	underLoginShells(t, nil, func(t *testing.T, h shellHost, shell loginShell) {
		e := closing(t, at(t, h.Server))
		cmd := h.helper("args", argument, "end", "hang")
		cmd.Env = []executor.EnvVar{{Name: "TOKEN", Value: value}}
		stop, looked := make(chan struct{}), make(chan int)
		marks := make(chan string, 1)
		var shown []string
		go func() {
			var mark string
			looks, seen := 0, map[int]string{} // what a process was before we knew the mark
			for {
				select {
				case <-stop:
					for _, cmdline := range seen {
						if mark != "" && strings.Contains(cmdline, mark) {
							shown = append(shown, cmdline)
						}
					}
					looked <- looks
					return
				case mark = <-marks:
				default:
				}
				for _, pid := range ofUser(h.account.UID) {
					line := exectest.Cmdline(pid)
					seen[looks<<22|pid] = line
					if !strings.HasPrefix(line, h.program+"\x00") && (strings.Contains(line, value) || strings.Contains(line, argument)) {
						shown = append(shown, line)
					}
				}
				looks++
				time.Sleep(time.Millisecond) // no event: longer processes are seen, and other programs need the CPU, too
			}
		}()
		p, err := e.Start(t.Context(), cmd)
		require.NoError(t, err)
		marks <- strings.TrimPrefix(variable(p.Info().PID, executor.MarkName), executor.MarkName+"=")
		for range 5 {
			_, err := p.Tree(t.Context())
			require.NoError(t, err)
		}
		_, err = p.Terminate(t.Context())
		require.NoError(t, err)
		close(stop)
		require.Positive(t, <-looked)
		require.Empty(t, shown)
	})
}

// An echo of our script would contain the values of variables.
func TestErrorsDoNotEchoTheScript(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-of-shells"
	underLoginShells(t, hasNoise, func(t *testing.T, h shellHost, shell loginShell) {
		h.write(t, shell.noise, "echo before\nexec cat\n")
		e := closing(t, at(t, h.Server, brief))
		cmd := h.helper("hang")
		cmd.Env = []executor.EnvVar{{Name: "TOKEN", Value: secret}}
		failed := startFailure(t, e, cmd)
		require.Equal(t, executor.StartTimeout, failed.Code)
		require.Contains(t, failed.Said, "before")
		require.NotContains(t, fmt.Sprintf("%v %+v %#v %s", failed, failed, failed, failed.Said), secret)
	})
}
