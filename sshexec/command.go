package sshexec

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"mcpdbg/session/executor"
)

// variableName matches the names that every POSIX shell accepts for a variable.
var variableName = pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)

// validate reports why cmd cannot be run on another machine.
func validate(cmd executor.Command, from PathFrom) error {
	if err := cmd.Validate(); err != nil {
		return err
	}
	for i, arg := range cmd.Argv {
		if !utf8.ValidString(arg) {
			return fmt.Errorf("argument %d is not UTF-8", i)
		}
	}
	switch {
	case strings.HasPrefix(cmd.Argv[0], "-"):
		return fmt.Errorf("program %q begins with a dash: use its path", cmd.Argv[0])
	case cmd.Dir != "" && !path.IsAbs(cmd.Dir):
		return fmt.Errorf("working directory %q is relative: over SSH it must be absolute", cmd.Dir)
	case !utf8.ValidString(cmd.Dir):
		return errors.New("working directory is not UTF-8")
	}
	return validateEnv(cmd.Env, from)
}

func validateEnv(env []executor.EnvVar, from PathFrom) error {
	named := false
	for _, v := range env {
		if !variableName().MatchString(v.Name) {
			return fmt.Errorf("invalid environment variable name %q: a shell cannot set it", v.Name)
		}
		if !utf8.ValidString(v.Value) {
			return fmt.Errorf("value of environment variable %s is not UTF-8", v.Name)
		}
		named = named || v.Name == "PATH"
	}
	if from == PathExplicit && !named {
		return errors.New("--path-from explicit requires the variable PATH (--env PATH=...)")
	}
	return nil
}
