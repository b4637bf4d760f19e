package sshexec

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/session/executor"
	"mcpdbg/session/executor/guard"
)

// Startup files write before the server's first byte.
func noiseNotices(stdout, stderr []byte, mark string) []executor.Notice {
	if len(stdout)+len(stderr) == 0 {
		return nil
	}
	hint := ""
	if len(stdout) > 0 {
		hint = "clients that run the server over plain ssh read it as the server's first message: print nothing in startup files unless the shell is interactive"
	}
	return []executor.Notice{{
		Code: "run.noise",
		Text: fmt.Sprintf("startup files on the host wrote %d bytes to stdout and %d to stderr before the server", len(stdout), len(stderr)),
		Said: tail(slices.Concat(censor(stdout, mark), censor(stderr, mark))), Hint: hint,
	}}
}

func leftoverNotice(hosts []executor.Descendant) executor.Notice {
	var commands []string
	for _, h := range hosts {
		commands = append(commands, fmt.Sprintf("pid %d %s", h.PID, h.Command))
	}
	return executor.Notice{
		Code: executor.NoticeLeftover,
		Text: fmt.Sprintf("startup files on the host left %s running in the background before the server started: not counted as the server's, and not killed", wording.PluralOf(len(hosts), "process", "processes")),
		Said: tail([]byte(strings.Join(commands, "\n"))),
	}
}

// modeNotices lists what the guard cannot do for a run on this host.
func modeNotices(c guard.Capabilities, run guard.Run, lease time.Duration) []executor.Notice {
	var list []executor.Notice
	if c.Lease == 0 {
		text := "the guard has no clock (no sleep on the host): if the connection is lost without notice, the server keeps running until the host notices"
		if lease <= 0 {
			text = "no lease: if the connection is lost without notice, the server keeps running until the host notices"
		}
		list = append(list, executor.Notice{Code: "mode.no-heartbeat", Text: text})
	}
	if blind := c.BlindSpots(run.Stamp != ""); blind != "" {
		list = append(list, executor.Notice{Code: "mode.no-proc", Text: blind})
	}
	if run.Group == 0 {
		list = append(list, executor.Notice{
			Code: "mode.no-group",
			Text: "the host has no setsid: the server shares its process group, and is signalled one process at a time",
		})
	}
	return list
}

// Package variables would be compiled at every start of the program. Inlined, each
// call would add 400 bytes to it.
//
//go:noinline
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// The name of an option or a variable with a value after it, or the prefix of a
// well-known kind of token.
var (
	secretOption = pattern(`(?i)^-{0,2}[a-z0-9_.-]*(token|secret|passw(or)?d|passphrase|api[-_]?key|access[-_]?key|credential)s?(=.+)?$`)
	secretToken  = pattern(`^(sk-|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abps]-|AKIA|eyJ[A-Za-z0-9_-]{10,}\.)`)
)

// However they are sent, every user of the host can read the server's arguments.
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
