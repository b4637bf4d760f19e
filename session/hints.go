package session

import (
	"fmt"
	"strings"

	"mcpdbg/session/executor"
)

// hints says what to try about a session that could not be opened, likeliest
// first.
func hints(s *Session, r *run, e *OpenError, ev evidence) []string {
	info := r.proc.Info()
	var found []string
	for _, hint := range []string{
		hintEcho(e),
		hintEnd(e),
		hintLost(r),
		hintNotFound(e, info),
		hintVariable(e, info),
		hintBuffered(s, e, ev),
		hintNewline(e),
		hintHeaders(e),
		hintStray(e),
		hintCold(s, e, ev),
		hintSilent(e, ev),
	} {
		if hint != "" {
			found = append(found, hint)
		}
	}
	if e.Reason == ReasonTimeout && !strings.Contains(strings.Join(found, "\n"), "--startup-timeout") {
		found = append(found, "if it is only slow, --startup-timeout gives it longer")
	}
	return found
}

// hintEnd speaks of an end that was not the server's own.
func hintEnd(e *OpenError) string {
	if e.Exit == nil {
		return ""
	}
	return AdviceEnd(*e.Exit)
}

// hintLost speaks of output that we lost ourselves.
func hintLost(r *run) string {
	if !r.col.lossy() {
		return ""
	}
	return "output was dropped, and answers may have been among it: " + AdviceOverrun
}

func hintEcho(e *OpenError) string {
	if e.Reason != ReasonEcho {
		return ""
	}
	return AdviceEcho
}

func hintNotFound(e *OpenError, info executor.Info) string {
	if e.Exit == nil || e.Exit.Kind != executor.ExitCode {
		return ""
	}
	return AdviceCommand(e.Exit.Code, info.Link != nil)
}

// hintVariable looks for a line on stderr that asks for an environment
// variable.
func hintVariable(e *OpenError, info executor.Info) string {
	if e.Reason != ReasonExited {
		return ""
	}
	_, _, advice := AdviceVariable(e.Stderr, envBody(info.Env), info.Link != nil)
	return advice
}

func hintBuffered(s *Session, e *OpenError, ev evidence) string {
	if !ev.buffered {
		return ""
	}
	return "its answers came only when stdin was closed: its stdout is block-buffered, and " + AdviceFlush(s.cfg.Command.Argv)
}

func hintNewline(e *OpenError) string {
	if e.Waiting == 0 {
		return ""
	}
	return fmt.Sprintf("%d bytes on stdout wait for a newline: %s", e.Waiting, AdviceNewline)
}

// hintHeaders speaks of messages framed as the language server protocol does.
func hintHeaders(e *OpenError) string {
	for _, line := range e.Stray {
		if strings.HasPrefix(line, "Content-Length:") {
			return "it frames messages with Content-Length headers, as language servers do: " + AdviceHeaders
		}
	}
	return ""
}

func hintStray(e *OpenError) string {
	if len(e.Stray) == 0 {
		return ""
	}
	return AdviceStray
}

// hintCold speaks of launchers that first fetch what they run.
func hintCold(s *Session, e *OpenError, ev evidence) string {
	if e.Reason != ReasonTimeout || !ev.silent {
		return ""
	}
	return AdviceLauncher(s.cfg.Command.Argv)
}

func hintSilent(e *OpenError, ev evidence) string {
	if e.Reason != ReasonTimeout || !ev.silent || ev.buffered || len(e.Stray) > 0 || e.Waiting > 0 {
		return ""
	}
	return "it wrote nothing to stdout: " + AdviceSilent
}
