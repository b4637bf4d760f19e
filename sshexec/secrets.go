package sshexec

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"mcpdbg/session/executor"
)

// pattern returns a regular expression that is compiled at its first use:
// package variables would be compiled at every start of the program.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// Patterns of secrets in arguments: the name of an option or a variable
// with a value after it, or the prefix of a well-known kind of token.
var (
	secretOption = pattern(`(?i)^-{0,2}[a-z0-9_.-]*(token|secret|passw(or)?d|passphrase|api[-_]?key|access[-_]?key|credential)s?(=.+)?$`)
	secretToken  = pattern(`^(sk-|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abps]-|AKIA|eyJ[A-Za-z0-9_-]{10,}\.)`)
)

// argvNotices warns of arguments that look like a secret: however they are
// sent, every user of the host can read the server's arguments.
func argvNotices(argv []string) []executor.Notice {
	var found []string
	for i, arg := range argv {
		option := secretOption().FindStringSubmatch(arg)
		switch {
		case i == 0:
		case secretToken().MatchString(arg), option != nil && option[3] != "":
			found = append(found, fmt.Sprint(i))
		case option != nil && strings.HasPrefix(arg, "-") && i+1 < len(argv):
			found = append(found, fmt.Sprint(i+1))
		}
	}
	if len(found) == 0 {
		return nil
	}
	return []executor.Notice{{
		Code: "run.secret",
		Text: fmt.Sprintf("argument %s of the server looks like a secret: everybody on the host can read a program's arguments", strings.Join(found, ", ")),
		Hint: "pass it in a variable: --env-from NAME",
	}}
}
