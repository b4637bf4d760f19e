package serve

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"mcpdbg/session/execserver/wire"
)

// Describe returns what a client has to know of this machine.
func Describe(version string) wire.Environment {
	e := wire.Environment{Version: version, Provider: "mcpdbg", OS: runtime.GOOS, Temp: uriOf(os.TempDir())}
	if dir, err := os.Getwd(); err == nil {
		e.CWD = uriOf(dir)
	}
	if dir, err := os.UserHomeDir(); err == nil {
		e.Home = uriOf(dir)
	}
	if shell := os.Getenv("SHELL"); shell != "" {
		e.Shell = &wire.Shell{Name: filepath.Base(shell), Path: shell}
	}
	return e
}

// uriOf returns the file URI of an absolute path.
func uriOf(file string) string {
	file = filepath.ToSlash(file)
	if !strings.HasPrefix(file, "/") {
		file = "/" + file // C:/x
	}
	return (&url.URL{Scheme: "file", Path: file}).String()
}

// coreNames are the variables that the policy core of Codex inherits, and excluded those
// that it drops by default.
var (
	coreNames = []string{"PATH", "SHELL", "TMPDIR", "TEMP", "TMP", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "USER"}
	excluded  = []string{"*KEY*", "*SECRET*", "*TOKEN*"}
)

// selectEnv returns the variables that a policy of Codex selects, with those of env on top.
func selectEnv(p *wire.EnvPolicy, environ []string, env map[string]string) (map[string]string, error) {
	if !slices.Contains([]string{"all", "core", "none"}, p.Inherit) {
		return nil, fmt.Errorf("unknown inherit %.40q of envPolicy", p.Inherit)
	}
	drop := slices.Clone(p.Exclude)
	if !p.IgnoreExcludes {
		drop = append(drop, excluded...)
	}
	vars := map[string]string{}
	for _, v := range environ {
		name, value, ok := strings.Cut(v, "=")
		inherited := p.Inherit == "all" || p.Inherit == "core" && slices.ContainsFunc(coreNames, func(core string) bool { return strings.EqualFold(core, name) })
		if ok && name != "" && inherited && !matches(drop, name) {
			vars[name] = value
		}
	}
	for name, value := range p.Set {
		vars[name] = value
	}
	for name := range vars {
		if len(p.IncludeOnly) > 0 && !matches(p.IncludeOnly, name) {
			delete(vars, name)
		}
	}
	for name, value := range env {
		vars[name] = value
	}
	return vars, nil
}

// matches reports whether a glob matches a name, whatever their case.
func matches(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool {
		ok, err := path.Match(strings.ToUpper(glob), strings.ToUpper(name))
		return ok && err == nil
	})
}
