package session

import (
	"fmt"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/session/executor"
)

// Describe returns a one-line description of an entry that carries no stream
// bytes, and the payload of a stream entry. The text may hold anything that a
// server wrote: escape it before showing it on a terminal.
func Describe(e *Entry) string {
	if e.Kind.IsStream() {
		return string(e.Payload)
	}
	switch e.Kind {
	case KindStart:
		return describeBody(e, describeStart)
	case KindEnv:
		return describeBody(e, describeEnv)
	case KindPhase:
		return describeBody(e, describePhase)
	case KindState:
		return describeBody(e, describeState)
	case KindWrite:
		return describeBody(e, describeWrite)
	case KindWaiting:
		return describeBody(e, describeWaiting)
	case KindExited:
		return describeBody(e, describeExited)
	case KindClosed:
		return describeBody(e, describeClosed)
	case KindFailed:
		return describeBody(e, func(b FailedBody) string { return wording.Join(" ", b.Error, wording.IfAny("- ", b.Hint)) })
	case KindLagged:
		return describeBody(e, describeLagged)
	case KindHeld:
		return describeBody(e, describeHeld)
	case KindGap:
		return describeBody(e, describeGap)
	case KindAct:
		return describeBody(e, describeAct)
	case KindProc:
		return describeBody(e, describeProc)
	case KindLink:
		return describeBody(e, describeLink)
	case KindNote:
		return describeBody(e, func(b NoteBody) string {
			return wording.Join(" ", b.Text+times(b.Times), saidText(b.Said, b.SaidBy), wording.IfAny("- ", b.Hint))
		})
	case KindFromClient:
		return describeBody(e, func(b ClientBody) string { return "from the client, " + describeClient(b) })
	case KindToClient:
		return describeBody(e, func(b ClientBody) string { return "to the client, " + describeClient(b) })
	case KindPart:
		return describeBody(e, func(b PartBody) string { return fmt.Sprintf("continues in part %d", b.Next) })
	case KindEnd:
		return describeBody(e, func(b EndBody) string { return fmt.Sprintf("%d entries", b.Entries) })
	default:
		return string(e.Body)
	}
}

// describeBody describes the body of an entry; a body that does not decode is
// returned unchanged.
func describeBody[B any](e *Entry, describe func(B) string) string {
	var body B
	if err := e.DecodeBody(&body); err != nil {
		return string(e.Body)
	}
	return describe(body)
}

func describeStart(b StartBody) string {
	pid := ""
	if b.PID != 0 { // unknown in an import
		pid = fmt.Sprintf("pid %d", b.PID)
	}
	place := strings.TrimSpace(b.Placement + " " + b.Host)
	if b.Placement == PlacementExecServer {
		place = b.Host
	}
	return wording.Join(" ", b.Process, pid, wording.Join(" on ", b.Via, place))
}

func describeEnv(b EnvBody) string {
	text := fmt.Sprintf("policy %s: %d passed, %d omitted", b.Policy, len(b.Passed), len(b.Omitted))
	if b.Unknown {
		text = fmt.Sprintf("policy %s: which were inherited: cannot tell", b.Policy)
	}
	if len(b.Named) > 0 {
		text += ", set: " + strings.Join(b.Named, " ")
	}
	if len(b.Added) > 0 {
		text += ", added: " + strings.Join(b.Added, " ")
	}
	if len(b.Omitted) > 0 {
		text += "; omitted: " + strings.Join(b.Omitted, " ")
	}
	return text
}

func describePhase(b PhaseBody) string {
	text := wording.Join(" ", b.Phase, b.Detail, micros(b.Took))
	if b.Error != "" {
		text += ": " + b.Error
	}
	return text
}

func describeState(b StateBody) string {
	if b.Of > 0 {
		return fmt.Sprintf("request %s of entry %d: %s", b.ID, b.Of, b.State)
	}
	return wording.Join(" ", b.State, b.Detail, b.Server, b.Protocol, b.Era, saidText(b.Said, b.SaidBy), wording.IfAny("- ", b.Hint))
}

func describeWrite(b WriteBody) string {
	text := fmt.Sprintf("write of entry %d: %s, %d bytes reached the pipe", b.Of, b.Status, b.Bytes)
	if b.Error != "" {
		text += ": " + b.Error
	}
	return text
}

func describeWaiting(b WaitingBody) string {
	head := b.Head
	if head == "" {
		head = string(b.Head64)
	}
	return fmt.Sprintf("%d bytes waiting on %s, no newline: %s", b.Bytes, b.Stream, head)
}

func describeExited(b ExitedBody) string { return DescribeEnd(b.Exit()) }

func describeClosed(b ClosedBody) string {
	return fmt.Sprintf("stdin %d bytes, stdout %d, stderr %d", b.Stdin.Bytes, b.Stdout.Bytes, b.Stderr.Bytes)
}

func describeLagged(b LaggedBody) string {
	return fmt.Sprintf("%d events behind, recovered%s", b.Events, times(b.Times))
}

func describeHeld(b HeldBody) string {
	streams := strings.Join(b.Streams, " and ")
	if b.By == HeldByClient {
		return fmt.Sprintf("the client did not read %s for %s: the server had to wait", streams, micros(b.End-b.Begin))
	}
	if b.End == 0 {
		return streams + " not read: the collector is too far behind; still held"
	}
	took := b.End - b.Begin
	if b.Times > 1 {
		took = b.Total
	}
	return fmt.Sprintf("%s not read for %s: the server had to wait%s", streams, micros(took), times(b.Times))
}

func describeGap(b GapBody) string {
	return fmt.Sprintf("LOST %d bytes of %s: sequence %d to %d", b.Bytes, strings.Join(b.Streams, " and "), b.From, b.To)
}

func describeAct(b ActBody) string {
	text := wording.Join(" ", b.Act, b.Detail)
	if b.Key != "" {
		text += ", key " + b.Key
	}
	if b.By != "" {
		text += ", by " + b.By
	}
	if b.Of > 0 {
		text += fmt.Sprintf(" (entry %d)", b.Of)
	}
	return text
}

func describeLink(b LinkBody) string {
	state := b.State
	if state == string(executor.LinkUp) {
		state = wording.Join(", ", state, wording.IfAny("round trip ", micros(b.RTT)))
	}
	return wording.Join(" ", state, b.Error, strings.Join(b.Hops, " > "), b.Transport, b.Server, b.Kex, b.HostKey, b.Cipher, b.MAC)
}

func describeClient(b ClientBody) string {
	return b.Why + ": " + strings.TrimSuffix(string(b.Line()), "\n")
}

func describeProc(b ProcBody) string {
	var parts []string
	for _, p := range b.Tree {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%d %s", p.PID, p.Command)))
	}
	text := strings.Join(parts, ", ")
	if b.Spared {
		return "left running on request: " + text
	}
	if b.Survivors {
		return "still alive after exit: " + text
	}
	return text
}

func times(n int) string {
	if n > 1 {
		return fmt.Sprintf(" (%d times)", n)
	}
	return ""
}

func saidText(said, by string) string {
	if said == "" {
		return ""
	}
	if by != "" {
		by = executor.Speaker(by).String() + " "
	}
	return fmt.Sprintf("(%ssaid: %s)", by, strings.TrimSpace(said))
}

// micros formats microseconds like all times on the screen; "" for 0.
func micros(us int64) string {
	if us == 0 {
		return ""
	}
	return wording.Took(us)
}
