// Package console is the environment of one invocation: the arguments, the standard
// streams, what the terminal can do, signals, prompts, files, and the small texts that
// all commands print alike. Main makes one Env and hands it to every command. Standard
// output carries results only.
package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"mcpdbg/ui"
	"mcpdbg/ui/tty"
	"mcpdbg/ui/widget/termsafe"
)

// WatchdogCommand is the hidden argument of the watchdog over its parent's child
// processes.
const WatchdogCommand = "__watchdog"

// Version is that of the program and its files, linked by .ci/release only, from the tag.
var Version = "0.1.0"

// DemoServer is the subcommand of the demo server, and Tap that of the tap. Signals are
// theirs.
const (
	DemoServer = "demo-server"
	Tap        = "tap"
)

// An Env is one invocation of the program.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Args           []string        // before the first --
	Command        []string        // after the first --
	HasCommand     bool            // there was a --
	Urgent         context.Context // a second signal asks to end servers at once
	Self           []string        // the command that starts this program
	Terminal       bool            // stdout can show the interface
	StderrWidth    func() int      // of stderr; nil unless a terminal that can move its cursor
	Settings       ui.Settings     // of the interface
	Interrupt      func()          // does what ctrl+c does
	EndBy          string          // signal by which the program ends itself at last, as its server did; "" for none
	Incomplete     IncompleteList
	Temporary      temporaryFolder
	Signals        Interrupts
	inputs         inputs
}

// Self returns the command that starts this program.
func Self() []string {
	path, err := os.Executable()
	if err != nil {
		path = os.Args[0]
	}
	return []string{path}
}

// A ResultWriter is standard output. It marks its errors, unlike those of other files and
// pipes, and keeps the first one.
type ResultWriter struct {
	W       io.Writer
	Failure error
}

// Write implements io.Writer.
func (r *ResultWriter) Write(p []byte) (int, error) {
	n, err := r.W.Write(p)
	if err != nil {
		err = &OutputError{Err: err}
		if r.Failure == nil {
			r.Failure = err
		}
	}
	return n, err
}

// ExitCode prints an error and returns its exit code.
func (env *Env) ExitCode(err error) int {
	if err == nil || IsBrokenPipe(err) {
		return ExitOK
	}
	code := ExitCode(err)
	env.Explain(err)
	return code
}

// Explain prints an error, its known causes and what to try, through termsafe: much of
// the text is the server's.
func (env *Env) Explain(err error) {
	for _, line := range Explain(err) {
		fmt.Fprintln(env.Stderr, termsafe.String(line))
	}
}

// HasScreen reports whether stdout is a terminal that can move its cursor.
func HasScreen() bool { return isTerminal(os.Stdout) && os.Getenv("TERM") != "dumb" }

// StderrWidth returns a function for the width of stderr, or nil unless it is a terminal
// that can move its cursor.
func StderrWidth() func() int {
	if !isTerminal(os.Stderr) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return func() int { return tty.Width(os.Stderr) }
}

func isTerminal(f *os.File) bool { return tty.IsTerminal(f) }

func isInterrupt(err error) bool { return errors.Is(err, tty.ErrInterrupted) }
