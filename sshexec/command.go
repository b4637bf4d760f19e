package sshexec

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"mcpdbg/session/executor"
)

// variableName is what every POSIX shell takes as the name of a variable.
var variableName = pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)

// validate says why cmd cannot be carried to another machine.
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
		return fmt.Errorf("program %q begins with a dash: give its path", cmd.Argv[0])
	case cmd.Dir != "" && !path.IsAbs(cmd.Dir):
		return fmt.Errorf("working directory %q is relative: over ssh it has to be absolute", cmd.Dir)
	case !utf8.ValidString(cmd.Dir):
		return errors.New("working directory is not UTF-8")
	}
	return validateEnv(cmd.Env, from)
}

func validateEnv(env []executor.EnvVar, from PathFrom) error {
	named := false
	for _, v := range env {
		if !variableName().MatchString(v.Name) {
			return fmt.Errorf("environment variable name %q is none that a shell can set", v.Name)
		}
		if !utf8.ValidString(v.Value) {
			return fmt.Errorf("value of environment variable %s is not UTF-8", v.Name)
		}
		named = named || v.Name == "PATH"
	}
	if from == PathExplicit && !named {
		return errors.New("the search path is to be explicit, and no variable PATH is given (--env PATH=...)")
	}
	return nil
}
