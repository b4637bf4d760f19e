package host

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
)

const (
	// ProgramMinimum is the minimum time that a program has the terminal: given back
	// earlier, the screen may stay frozen.
	ProgramMinimum = 60 * time.Millisecond
	// MaxEdited is the maximum size of a text read back from an editor, in
	// bytes.
	MaxEdited = 16 << 20
)

// Edit opens a text in the user's editor ($VISUAL, $EDITOR) and passes the edited text to
// done. suffix is that of the file, such as ".json".
func Edit(c Context, text []byte, suffix string, done func(Context, []byte, error) tea.Cmd) tea.Cmd {
	program, err := chosen([]string{"VISUAL", "EDITOR"}, "vi", "nano", "notepad")
	if err != nil {
		return done(c, nil, err)
	}
	return lend(c, program, text, suffix, func(c Context, name string, err error) tea.Cmd {
		if err != nil {
			return done(c, nil, err)
		}
		edited, err := ReadBounded(name, MaxEdited)
		return done(c, edited, err)
	})
}

// Page opens a text in the user's pager ($PAGER).
func Page(c Context, text []byte, suffix string) tea.Cmd {
	program, err := chosen([]string{"PAGER"}, "less", "more")
	if err != nil {
		c.Host.Warn("pager: " + err.Error())
		return nil
	}
	return lend(c, program, text, suffix, func(c Context, _ string, err error) tea.Cmd {
		if err != nil {
			c.Host.Warn("pager: " + err.Error())
		}
		return nil
	})
}

// chosen returns the command line of the first variable that is set, or the first
// installed program.
func chosen(variables []string, programs ...string) (string, error) {
	for _, name := range variables {
		if value := strings.TrimSpace(os.Getenv(name)); value != "" {
			return value, nil
		}
	}
	for _, program := range programs {
		if _, err := exec.LookPath(program); err == nil {
			return program, nil
		}
	}
	return "", fmt.Errorf("no program found to open it: set %s", variables[len(variables)-1])
}

// lend gives the terminal to a program with a file that holds text. Only the user can
// read the file, its name contains no text from outside, and it is removed when done has
// returned.
func lend(c Context, program string, text []byte, suffix string, done func(c Context, name string, err error) tea.Cmd) tea.Cmd {
	dir, err := os.MkdirTemp("", "mcpdbg-")
	if err != nil {
		return done(c, "", err)
	}
	name := filepath.Join(dir, "text"+suffix)
	if err := os.WriteFile(name, text, 0o600); err != nil {
		_ = os.RemoveAll(dir)
		return done(c, "", err)
	}
	return c.Host.Exec(c.Workspace, &Program{cmd: programFor(program, name)}, func(err error) Message {
		return Result{Then: func(c Context) tea.Cmd {
			defer os.RemoveAll(dir)
			if err != nil {
				err = fmt.Errorf("%s: %w", strings.Fields(program)[0], err)
			}
			c.Host.Redraw()
			return done(c, name, err)
		}}
	})
}

// programFor appends a file to a command line, which a shell parses, as with git: it may
// contain arguments and quotes.
func programFor(program, file string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		words := strings.Fields(program)
		return exec.Command(words[0], append(words[1:], file)...)
	}
	return exec.Command("/bin/sh", "-c", program+` "$@"`, "mcpdbg", file)
}

// A Program has the terminal for a while.
type Program struct{ cmd *exec.Cmd }

// Args returns its command line.
func (p *Program) Args() []string { return p.cmd.Args }

// SetStdin implements tea.ExecCommand.
func (p *Program) SetStdin(r io.Reader) { p.cmd.Stdin = unwatched(r) }

// SetStdout implements tea.ExecCommand.
func (p *Program) SetStdout(w io.Writer) { p.cmd.Stdout = w }

// SetStderr implements tea.ExecCommand.
func (p *Program) SetStderr(w io.Writer) { p.cmd.Stderr = w }

// Run implements tea.ExecCommand. Signals of the terminal reach the program, not mcpdbg:
// ctrl+c in a pager does not end the session.
func (p *Program) Run() error {
	begin := time.Now()
	back := inForeground(p.cmd)
	err := p.cmd.Run()
	back()
	time.Sleep(ProgramMinimum - time.Since(begin))
	return err
}

// ReadBounded reads a file of at most limit bytes.
func ReadBounded(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if int64(len(data)) > limit {
		err = fmt.Errorf("the text is longer than %s", wording.Size(limit))
	}
	return data, errors.Join(err, f.Close())
}
