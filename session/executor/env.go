package executor

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// clientEnvNames returns the variables that MCP clients pass to servers. The Windows list
// is that of getDefaultEnvironment in the MCP TypeScript SDK, with PATHEXT and COMSPEC,
// which scripts need to start.
func clientEnvNames(goos string) []string {
	if goos == "windows" {
		return []string{
			"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT",
			"PROCESSOR_ARCHITECTURE", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP",
			"USERNAME", "USERPROFILE",
		}
	}
	return []string{"HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"}
}

// ClientEnvNames returns the variables that EnvClient passes on a system, as
// runtime.GOOS names it.
func ClientEnvNames(goos string) []string { return clientEnvNames(goos) }

// BuildEnv returns the environment of a local process, and a report of the
// names: the variables of base (NAME=value, like os.Environ; the last of
// duplicates counts) that policy passes, overridden by named. On Windows names
// are compared without case. It assumes that Command.Validate succeeded.
func BuildEnv(policy EnvPolicy, base []string, named []EnvVar) ([]string, EnvReport) {
	return buildEnv(runtime.GOOS, policy, base, named)
}

func buildEnv(goos string, policy EnvPolicy, base []string, named []EnvVar) ([]string, EnvReport) {
	key := func(name string) string { return name }
	if goos == "windows" {
		key = strings.ToUpper
	}
	client := clientEnvNames(goos)
	passes := func(name string) bool {
		return policy == EnvInherit || policy == EnvClient && slices.Contains(client, key(name))
	}
	report := EnvReport{Policy: policy}
	env := []string{}
	decided := make(map[string]bool) // by key
	for _, v := range slices.Backward(named) {
		if !decided[key(v.Name)] {
			decided[key(v.Name)] = true
			env = append(env, v.Name+"="+v.Value)
			report.Named = append(report.Named, v.Name)
		}
	}
	for _, entry := range slices.Backward(base) {
		name, ok := envName(entry)
		if !ok || decided[key(name)] {
			continue
		}
		decided[key(name)] = true
		if passes(name) {
			env = append(env, entry)
			report.Passed = append(report.Passed, name)
		} else {
			report.Omitted = append(report.Omitted, name)
		}
	}
	for _, list := range [][]string{env, report.Named, report.Passed, report.Omitted} {
		slices.Sort(list)
	}
	return env, report
}

// envName knows that Windows has entries such as =C:=C:\dir, whose name begins with the
// equals sign.
func envName(entry string) (string, bool) {
	if entry == "" {
		return "", false
	}
	i := strings.IndexByte(entry[1:], '=')
	if i < 0 {
		return "", false
	}
	return entry[:i+1], true
}

// Validate returns an error if no executor can run the command: a missing
// program, a NUL byte, or an environment name that is empty or contains an
// equals sign. The error contains no values. An executor over SSH is stricter
// about names.
func (c *Command) Validate() error {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return errors.New("no program given")
	}
	for i, arg := range c.Argv {
		if strings.ContainsRune(arg, 0) {
			return fmt.Errorf("argument %d contains a NUL byte", i)
		}
	}
	if strings.ContainsRune(c.Dir, 0) {
		return errors.New("working directory contains a NUL byte")
	}
	for _, v := range c.Env {
		switch {
		case v.Name == "":
			return errors.New("environment variable without a name")
		case strings.ContainsAny(v.Name, "=\x00"):
			return fmt.Errorf("environment variable name %q contains an equals sign or a NUL byte", v.Name)
		case strings.ContainsRune(v.Value, 0):
			return fmt.Errorf("value of environment variable %s contains a NUL byte", v.Name)
		}
	}
	return nil
}

// Format hides the value, whatever the verb.
func (v EnvVar) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "%s=...", v.Name) }
