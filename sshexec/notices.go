package sshexec

import (
	"fmt"
	"slices"
	"time"

	"mcpdbg/session/executor"
)

// noiseNotices tell what startup files wrote before the server's first byte.
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

// modeNotices tell what the guard cannot do on this host.
func modeNotices(a armed, lease time.Duration, group int) []executor.Notice {
	var list []executor.Notice
	if a.lease == 0 {
		text := "the guard has no clock (no sleep on the host): if the connection breaks without a word, the server stays until the host notices"
		if lease <= 0 {
			text = "no lease: if the connection breaks without a word, the server stays until the host notices"
		}
		list = append(list, executor.Notice{Code: "mode.no-heartbeat", Text: text})
	}
	if !a.marks {
		list = append(list, executor.Notice{
			Code: "mode.no-proc",
			Text: "the host has no /proc to look into: processes are found by group and parent only, daemons are not (best effort)",
		})
	}
	if group == 0 {
		list = append(list, executor.Notice{
			Code: "mode.no-group",
			Text: "the host has no setsid: the server shares its process group, and is signalled one process at a time",
		})
	}
	return list
}
