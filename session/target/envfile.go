package target

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

func (e *Entry) readEnvFile(file string) ([]Var, []Problem, error) {
	file = e.absolute(file)
	data, err := readBounded(file)
	if err != nil {
		if p, ok := errors.AsType[*fs.PathError](err); ok {
			err = p.Err
		}
		return nil, nil, &readError{Problem{
			File: e.File, Line: e.Line, Server: e.Name,
			Text: fmt.Sprintf("envFile %s can't be read: %v", file, err), Hint: "create it, or remove envFile",
		}, err}
	}
	vars, bad := parseEnvFile(data)
	var problems []Problem
	for _, line := range bad {
		problems = append(problems, Problem{File: file, Line: line, Server: e.Name, Text: "invalid line skipped", Hint: "write NAME=VALUE"})
	}
	return vars, problems, nil
}

const maxBadLines = 20

// parseEnvFile parses lines NAME=VALUE. Empty lines and lines that begin with # are
// ignored, as is "export " before a name. Quotes around a value are removed; in double
// quotes \n, \" and \\ are escapes. bad are the numbers of invalid lines.
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
