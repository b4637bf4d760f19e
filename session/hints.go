package session

import (
	"fmt"
	"strings"

	"mcpdbg/session/diagnosis"
	"mcpdbg/session/executor"
)

// hints returns what to try, likeliest first.
func hints(s *Session, r *run, e *OpenError, ev evidence) []string {
	if hint := hintBridge(s, e); hint != "" {
		return []string{hint} // which explains everything else
	}
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
		found = append(found, "if it is only slow, raise --startup-timeout")
	}
	return found
}

func hintBridge(s *Session, e *OpenError) string {
	if e.Reason != ReasonExited && e.Reason != ReasonTimeout {
		return ""
	}
	line, text, advice := diagnosis.BridgeFailure(s.cfg.Command.Argv, e.Stderr)
	if line < 0 {
		return ""
	}
	return text + ": " + advice
}

func hintEnd(e *OpenError) string {
	if e.Exit == nil {
		return ""
	}
	return diagnosis.AdviceEnd(*e.Exit)
}

func hintLost(r *run) string {
	if !r.col.lossy() {
		return ""
	}
	return "output was dropped, possibly with responses: " + diagnosis.AdviceOverrun
}

func hintEcho(e *OpenError) string {
	if e.Reason != ReasonEcho {
		return ""
	}
	return diagnosis.AdviceEcho
}

func hintNotFound(e *OpenError, info executor.Info) string {
	if e.Exit == nil || e.Exit.Kind != executor.ExitCode {
		return ""
	}
	return diagnosis.AdviceCommand(e.Exit.Code, info.Link != nil)
}

func hintVariable(e *OpenError, info executor.Info) string {
	if e.Reason != ReasonExited {
		return ""
	}
	env := envBody(info.Env)
	_, _, advice := diagnosis.AdviceVariable(e.Stderr, diagnosis.Environ{Policy: env.Policy, Named: env.Named, Passed: env.Passed, Omitted: env.Omitted}, info.Link != nil)
	return advice
}

func hintBuffered(s *Session, e *OpenError, ev evidence) string {
	if !ev.buffered {
		return ""
	}
	return "its responses came only after stdin was closed: its stdout is block-buffered, and " + diagnosis.AdviceFlush(s.cfg.Command.Argv)
}

func hintNewline(e *OpenError) string {
	if e.Waiting == 0 {
		return ""
	}
	return fmt.Sprintf("%d bytes on stdout have no newline: %s", e.Waiting, diagnosis.AdviceNewline)
}

func hintHeaders(e *OpenError) string {
	for _, line := range e.Stray {
		if strings.HasPrefix(line, "Content-Length:") {
			return "it frames messages with Content-Length headers, as language servers do: " + diagnosis.AdviceHeaders
		}
	}
	return ""
}

func hintStray(e *OpenError) string {
	if len(e.Stray) == 0 {
		return ""
	}
	return diagnosis.AdviceStray
}

func hintCold(s *Session, e *OpenError, ev evidence) string {
	if e.Reason != ReasonTimeout || !ev.silent {
		return ""
	}
	return diagnosis.AdviceLauncher(s.cfg.Command.Argv)
}

func hintSilent(e *OpenError, ev evidence) string {
	if e.Reason != ReasonTimeout || !ev.silent || ev.buffered || len(e.Stray) > 0 || e.Waiting > 0 {
		return ""
	}
	return "it wrote nothing to stdout: " + diagnosis.AdviceSilent
}
