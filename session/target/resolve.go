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

// An answer is what an input was given.
type answer struct {
	id, value string
	secret    bool
}

// A Start is a server as it is to be started: all that an Entry left open is
// decided. It prints without its secrets; Args and Environ give them.
type Start struct {
	Argv []Text
	Env  []Var // of two with one name the later one counts
	// Dir is an absolute directory of the place where the server runs; "" is the
	// caller's own here, and the login directory there.
	Dir string
	// SSH is the host; "" is this machine.
	SSH                     string
	StartupTimeout, Timeout time.Duration // 0: the file has none
	Problems                []Problem     // of the env file
}

// Args is the command line, with its secrets.
func (s Start) Args() []string {
	args := make([]string, len(s.Argv))
	for i, t := range s.Argv {
		args[i] = t.Reveal()
	}
	return args
}

// Environ is the environment that the file names, with its values.
func (s Start) Environ() []executor.EnvVar { return commandEnv(s.Env) }

// Secrets are what MaskedArgs leaves out, by the names that it shows.
func (s Start) Secrets() []executor.EnvVar {
	var secrets []executor.EnvVar
	for _, t := range s.Argv {
		for _, p := range t.all() {
			if p.name != "" {
				secrets = append(secrets, executor.EnvVar{Name: p.name, Value: p.text})
			}
		}
	}
	return secrets
}

// MaskedArgs is the command line with ${NAME} for its secrets.
func (s Start) MaskedArgs() []string { return textStrings(s.Argv) }

// String shows the command line and the host, without secrets.
func (s Start) String() string {
	line := strings.Join(s.MaskedArgs(), " ")
	if s.SSH != "" {
		line += " on " + s.SSH
	}
	return line
}

// ErrNotStartable is the cause of Resolve's error about an entry that can't be
// started, whatever the inputs.
var ErrNotStartable = errors.New("can't be started")

// ErrNoInput is what ask returns for an input that nobody gives.
var ErrNoInput = errors.New("no value")

// A MissingError says which inputs nobody gave.
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

// Resolve decides what the entry left open: it asks for each of Inputs, in their
// order, and reads the env file. An error of ask ends it, but for ErrNoInput:
// inputs without a value come together in a *MissingError. Other errors are a
// *Problem, or have the cause ErrNotStartable.
func (e *Entry) Resolve(ask func(Input) (string, error)) (Start, error) {
	if why, try := e.Why(); why != "" {
		p := Problem{File: e.File, Line: e.Line, Server: e.Name, Text: why, Try: try}
		if e.Refused != nil {
			p = *e.Refused
		}
		return Start{}, &readError{p, ErrNotStartable}
	}
	given, err := e.ask(ask)
	if err != nil {
		return Start{}, err
	}
	s := Start{SSH: e.SSH, StartupTimeout: e.StartupTimeout, Timeout: e.Timeout}
	for _, t := range e.Argv {
		s.Argv = append(s.Argv, t.with(given))
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

// ask asks for all inputs.
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
			return nil, e.problem(fmt.Sprintf("input %s: the value is none of its choices", in.ID), "it is one of "+choices(in))
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
	return &Problem{File: e.File, Line: e.Line, Server: e.Name, Text: text, Try: try}
}

// dir is the working directory. Without one in the file the servers of a project
// start there, as its clients do it.
func (e *Entry) dir(given map[string]answer) (string, error) {
	dir := e.Cwd.with(given).Reveal()
	switch {
	case e.SSH != "" && dir != "" && !path.IsAbs(dir):
		return "", e.problem("cwd is a directory of "+e.SSH+", and has to begin with /", "without cwd the server starts in the login directory")
	case e.SSH != "":
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

// program is the program with its directory, if it was named with one: relative
// to where the server starts. On a host it is left as it is.
func (e *Entry) program(s Start) Text {
	program := s.Argv[0]
	name := program.Reveal()
	if s.SSH != "" || filepath.IsAbs(name) || filepath.Base(name) == name {
		return program
	}
	base := s.Dir
	if base == "" {
		base = e.Project
	}
	if program.String() == name { // no secret in it
		return plain(filepath.Join(base, name))
	}
	return program.after(base + string(filepath.Separator))
}
