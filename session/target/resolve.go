package target

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mcpdbg/session/executor"
)

type answer struct {
	id, value string
	secret    bool
}

// A Start is a resolved server, ready to start. It prints without its secrets;
// Args and Environ return them.
type Start struct {
	Argv []Text
	Env  []Var // of duplicates the last one counts
	// Dir is an absolute directory on the machine where the server runs; ""
	// means the caller's own directory locally and the login directory on a
	// host.
	Dir string
	// SSH is the host; "" means this machine.
	SSH                     string
	ExecServer              string        // that starts the server; "" means none
	Via                     []Text        // words before Argv that lead to another place
	StartupTimeout, Timeout time.Duration // 0: not in the file
	Problems                []Problem     // of the env file
}

// Args returns the command line with its secrets.
func (s Start) Args() []string {
	return reveal(s.Argv)
}

// Prefix returns the words of Via with their secrets.
func (s Start) Prefix() []string { return reveal(s.Via) }

// MaskedPrefix returns the words of Via with ${NAME} for their secrets.
func (s Start) MaskedPrefix() []string { return textStrings(s.Via) }

func reveal(texts []Text) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = t.Reveal()
	}
	return out
}

// Environ returns the environment variables of the file with their values.
func (s Start) Environ() []executor.EnvVar {
	out := make([]executor.EnvVar, len(s.Env))
	for i, v := range s.Env {
		out[i] = executor.EnvVar{Name: v.Name, Value: v.Value.Reveal()}
	}
	return out
}

// Secrets returns the values that MaskedArgs and MaskedPrefix replace, with the names
// that they show.
func (s Start) Secrets() []executor.EnvVar {
	var secrets []executor.EnvVar
	for _, t := range slices.Concat(s.Via, s.Argv) {
		for _, p := range t.all() {
			if p.name != "" {
				secrets = append(secrets, executor.EnvVar{Name: p.name, Value: p.text})
			}
		}
	}
	return secrets
}

// MaskedArgs returns the command line with ${NAME} for its secrets.
func (s Start) MaskedArgs() []string { return textStrings(s.Argv) }

// String returns the command line and the host, without secrets.
func (s Start) String() string {
	line := strings.Join(s.MaskedArgs(), " ")
	if s.SSH != "" {
		line += " on " + s.SSH
	}
	return line
}

// ErrNotStartable is the cause of Resolve's error for an entry that can't be
// started, whatever the inputs.
var ErrNotStartable = errors.New("can't be started")

// ErrNoInput is the error that ask returns for an input without a value.
var ErrNoInput = errors.New("no value")

// A MissingError is the error for inputs without a value.
type MissingError struct {
	Server string
	Inputs []Input
}

func (e *MissingError) Error() string {
	ids := make([]string, len(e.Inputs))
	for i, in := range e.Inputs {
		ids[i] = in.ID
	}
	return fmt.Sprintf("server %q needs a value for %s", e.Server, strings.Join(ids, ", "))
}

// Resolve returns the Start of the entry: it calls ask for each of Inputs, in
// their order, and reads the env file. It stops at an error of ask, except for
// ErrNoInput: inputs without a value are collected in a *MissingError. Other
// errors are a *Problem, or have the cause ErrNotStartable.
func (e *Entry) Resolve(ask func(Input) (string, error)) (Start, error) {
	if why, try := e.Why(); why != "" {
		p := Problem{File: e.File, Line: e.Line, Server: e.Name, Text: why, Hint: try}
		if e.Refused != nil {
			p = *e.Refused
		}
		return Start{}, &readError{p, ErrNotStartable}
	}
	given, err := e.ask(ask)
	if err != nil {
		return Start{}, err
	}
	s := Start{SSH: e.SSH, ExecServer: e.ExecServer, StartupTimeout: e.StartupTimeout, Timeout: e.Timeout}
	for _, t := range e.Argv {
		s.Argv = append(s.Argv, t.with(given))
	}
	for _, t := range e.Via {
		s.Via = append(s.Via, t.with(given))
	}
	if s.Dir, err = e.dir(given); err != nil {
		return Start{}, err
	}
	s.Argv[0] = e.program(s)
	if !e.EnvFile.IsZero() {
		if s.Env, s.Problems, err = e.readEnvFile(e.EnvFile.with(given).Reveal()); err != nil {
			return Start{}, err
		}
	}
	for _, v := range e.Env {
		s.Env = append(s.Env, Var{v.Name, v.Value.with(given)})
	}
	return s, nil
}

func (e *Entry) ask(ask func(Input) (string, error)) (map[string]answer, error) {
	given := make(map[string]answer, len(e.Inputs))
	var missing []Input
	for _, in := range e.Inputs {
		value, err := ask(in)
		switch {
		case errors.Is(err, ErrNoInput):
			missing = append(missing, in)
		case err != nil:
			return nil, fmt.Errorf("input %s: %w", in.ID, err)
		case in.Kind == InputPick && !offered(in, value):
			return nil, e.problem(fmt.Sprintf("input %s: the value is not one of its choices", in.ID), "use one of "+choices(in))
		}
		given[in.ID] = answer{in.ID, value, in.Secret}
	}
	if len(missing) > 0 {
		return nil, &MissingError{e.Name, missing}
	}
	return given, nil
}

func offered(in Input, value string) bool {
	return slices.ContainsFunc(in.Options, func(o Option) bool { return o.Value == value })
}

func choices(in Input) string {
	values := make([]string, len(in.Options))
	for i, o := range in.Options {
		values[i] = o.Value
	}
	return strings.Join(values, ", ")
}

func (e *Entry) problem(text, try string) *Problem {
	return &Problem{File: e.File, Line: e.Line, Server: e.Name, Text: text, Hint: try}
}

// dir returns the working directory. Without one in the file, servers of a project start
// in the project, as its clients do.
func (e *Entry) dir(given map[string]answer) (string, error) {
	dir := e.Cwd.with(given).Reveal()
	switch {
	case e.SSH != "" && dir != "" && !path.IsAbs(dir):
		return "", e.problem("cwd is a directory of "+e.SSH+" and must begin with /", "without cwd the server starts in the login directory")
	case len(e.Via) > 0 && dir != "" && !path.IsAbs(dir):
		return "", e.problem("cwd is a directory of the place that via leads to and must begin with /", "without cwd the server starts where that puts it")
	case e.ExecServer != "" && dir != "" && !path.IsAbs(dir) && !filepath.IsAbs(dir):
		return "", e.problem("cwd is a directory of the exec server and must be absolute", "without cwd the server starts in the login directory there")
	case e.SSH != "" || len(e.Via) > 0 || e.ExecServer != "":
		return dir, nil
	case dir != "":
		return e.absolute(dir), nil
	case e.Scope == ScopeProject:
		return e.Project, nil
	}
	return "", nil
}

func (e *Entry) absolute(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(e.Project, file)
}

// program returns the program; a relative path is resolved against the
// directory where the server starts, except in another place.
func (e *Entry) program(s Start) Text {
	program := s.Argv[0]
	name := program.Reveal()
	if s.SSH != "" || len(s.Via) > 0 || filepath.IsAbs(name) || filepath.Base(name) == name {
		return program
	}
	base := s.Dir
	if base == "" {
		base = e.Project
	}
	if program.String() == name { // contains no secret
		return plain(filepath.Join(base, name))
	}
	return textOf(append([]part{{text: base + string(filepath.Separator)}}, program.all()...))
}
