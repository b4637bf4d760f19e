package target

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// readEnvFile reads the entry's env file. Its error is a *Problem.
func (e *Entry) readEnvFile(file string) ([]Var, []Problem, error) {
	file = e.absolute(file)
	data, err := readBounded(file)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return nil, nil, &readError{Problem{
			File: e.File, Line: e.Line, Server: e.Name,
			Text: fmt.Sprintf("envFile %s can't be read: %v", file, err), Try: "create it, or take out envFile",
		}, err}
	}
	vars, bad := parseEnvFile(data)
	var problems []Problem
	for _, line := range bad {
		problems = append(problems, Problem{File: file, Line: line, Server: e.Name, Text: "the line is not read", Try: "write NAME=VALUE"})
	}
	return vars, problems, nil
}

// maxBadLines is how many lines of an env file are told of.
const maxBadLines = 20

// parseEnvFile reads lines NAME=VALUE. Empty lines and those that begin with #
// mean nothing, "export " before a name neither. A value in quotes is without
// them; in double quotes \n, \" and \\ are what they are in a shell's. It gives
// the numbers of lines that are none of this.
func parseEnvFile(data []byte) (vars []Var, bad []int) {
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		name = strings.TrimSpace(name)
		if !ok || !fullName().MatchString(name) {
			if len(bad) < maxBadLines {
				bad = append(bad, number)
			}
			continue
		}
		vars = append(vars, Var{name, plain(unquote(strings.TrimSpace(value))).secret(name)})
	}
	return vars, bad
}

var escapes = strings.NewReplacer(`\n`, "\n", `\"`, `"`, `\\`, `\`)

func unquote(value string) string {
	if len(value) < 2 || value[0] != value[len(value)-1] {
		return value
	}
	switch inner := value[1 : len(value)-1]; value[0] {
	case '"':
		return escapes.Replace(inner)
	case '\'':
		return inner
	}
	return value
}
