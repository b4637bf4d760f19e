package ui

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
)

const (
	// programLeast is how long a program that takes over the terminal has it at
	// least: the screen may stay frozen when it is given back too early.
	programLeast = 60 * time.Millisecond
	// maxEdited is how much is read back from an editor, in bytes.
	maxEdited = 16 << 20
)

// edit opens a text in the person's editor ($VISUAL, $EDITOR) and gives what
// became of it to done. suffix is that of the file's name, such as ".json".
func (a *App) edit(text []byte, suffix string, done func(*App, []byte, error) tea.Cmd) tea.Cmd {
	program, err := chosen([]string{"VISUAL", "EDITOR"}, "vi", "nano", "notepad")
	if err != nil {
		return done(a, nil, err)
	}
	return a.lend(program, text, suffix, func(a *App, name string, err error) tea.Cmd {
		if err != nil {
			return done(a, nil, err)
		}
		edited, err := readBounded(name, maxEdited)
		return done(a, edited, err)
	})
}

// page opens a text in the person's pager ($PAGER).
func (a *App) page(text []byte, suffix string) tea.Cmd {
	program, err := chosen([]string{"PAGER"}, "less", "more")
	if err != nil {
		a.complain("pager: " + err.Error())
		return nil
	}
	return a.lend(program, text, suffix, func(a *App, _ string, err error) tea.Cmd {
		if err != nil {
			a.complain("pager: " + err.Error())
		}
		return nil
	})
}

// chosen is the command line of the first variable that is set, or the first
// program there is.
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
	return "", fmt.Errorf("no program to open it with: set %s", variables[len(variables)-1])
}

// lend gives the terminal to a program with a file that holds text. The file is
// readable by nobody else, has a name in which nothing comes from outside, and
// is gone when done has returned.
func (a *App) lend(program string, text []byte, suffix string, done func(a *App, name string, err error) tea.Cmd) tea.Cmd {
	dir, err := os.MkdirTemp("", "mcpdbg-")
	if err != nil {
		return done(a, "", err)
	}
	name := filepath.Join(dir, "text"+suffix)
	if err := os.WriteFile(name, text, 0o600); err != nil {
		_ = os.RemoveAll(dir)
		return done(a, "", err)
	}
	s := a.subject
	return a.exec(&lent{cmd: programFor(program, name)}, func(err error) tea.Msg {
		return s.address(result{then: func(a *App) tea.Cmd {
			defer os.RemoveAll(dir)
			if err != nil {
				err = fmt.Errorf("%s: %w", strings.Fields(program)[0], err)
			}
			a.markAll()
			return done(a, name, err)
		}})
	})
}

// programFor is a command line with a file behind it. A shell reads it, as git
// and others do, so that it may hold arguments and quotes.
func programFor(program, file string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		words := strings.Fields(program)
		return exec.Command(words[0], append(words[1:], file)...)
	}
	return exec.Command("/bin/sh", "-c", program+` "$@"`, "mcpdbg", file)
}

// A lent is a program that has the terminal for a while.
type lent struct{ cmd *exec.Cmd }

// SetStdin implements tea.ExecCommand.
func (l *lent) SetStdin(r io.Reader) { l.cmd.Stdin = r }

// SetStdout implements tea.ExecCommand.
func (l *lent) SetStdout(w io.Writer) { l.cmd.Stdout = w }

// SetStderr implements tea.ExecCommand.
func (l *lent) SetStderr(w io.Writer) { l.cmd.Stderr = w }

// Run implements tea.ExecCommand. Signals of the terminal reach the program and
// not us: ctrl+c in a pager does not end the session.
func (l *lent) Run() error {
	begin := time.Now()
	back := inForeground(l.cmd)
	err := l.cmd.Run()
	back()
	time.Sleep(programLeast - time.Since(begin))
	return err
}

// readBounded reads a file of at most limit bytes.
func readBounded(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if int64(len(data)) > limit {
		err = fmt.Errorf("the text is longer than %s", size(limit))
	}
	return data, errors.Join(err, f.Close())
}
