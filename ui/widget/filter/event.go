package filter

import (
	"fmt"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// eventSources are the words that lists show for the source of an event, of at most 6
// cells; "" means the name of the kind.
var eventSources = [session.KindCount]string{
	session.KindPhase:   "start",
	session.KindWaiting: "wait",
	session.KindExited:  "exit",
	session.KindLagged:  "lag",
	session.KindHeld:    "stall",
	session.KindAct:     "you",
	// The text says in which direction.
	session.KindFromClient: "client",
	session.KindToClient:   "client",
}

// EventSource returns the word that lists show for the source of an event, or for a line
// of stderr.
func EventSource(kind session.Kind) string {
	if word := eventSources[kind]; word != "" {
		return word
	}
	return kind.String()
}

// actWords are what lists show for acts of a person; other acts have their name.
var actWords = map[string]string{
	session.ActCompose:   "sent",
	session.ActRaw:       "sent raw bytes",
	session.ActResend:    "sent again",
	session.ActAsk:       "are asked for",
	session.ActAnswer:    "answered",
	session.ActWithdrawn: "no longer asked for",
	session.ActAgain:     "sent again, with the answers",
	session.ActPolicy:    "changed a rule",
	session.ActEscalate:  "skipped a wait of the shutdown",
	session.ActKillOne:   "killed one process",
	"cancel":             "cancelled the call",
	"kill":               "stopped the server",
	"restart":            "restarted the server",
	"close-stdin":        "closed stdin",
}

// EventText returns what lists show for an event, in one line.
func EventText(e *session.Entry) string {
	switch e.Kind {
	case session.KindEnv:
		_, rest, _ := strings.Cut(session.Describe(e), ": ")
		return rest
	case session.KindState:
		return eventText(e, stateText)
	case session.KindLagged:
		return eventText(e, func(b session.LaggedBody) string {
			return fmt.Sprintf("%d events behind%s, caught up, nothing lost", b.Events, times(b.Times))
		})
	case session.KindHeld:
		return eventText(e, heldText)
	case session.KindGap:
		return eventText(e, gapText)
	case session.KindAct:
		return eventText(e, actText)
	}
	return session.Describe(e)
}

func eventText[B any](e *session.Entry, text func(B) string) string {
	var body B
	if e.DecodeBody(&body) != nil {
		return string(e.Body)
	}
	return text(body)
}

func stateText(b session.StateBody) string {
	if b.Of > 0 {
		return fmt.Sprintf("id %s: %s", b.ID, strings.ReplaceAll(b.State, "timed-out", ShownNoAnswer))
	}
	said := ""
	if b.Said != "" {
		said = "said: " + strings.TrimSpace(b.Said)
	}
	return wording.Join(", ", b.State, b.Detail, b.Server, said, b.Hint)
}

func heldText(b session.HeldBody) string {
	streams := strings.Join(b.Streams, " and ")
	if b.End == 0 {
		return streams + " not read since then: mcpdbg is too far behind"
	}
	took := b.End - b.Begin
	if b.Times > 1 {
		took = b.Total
	}
	return streams + " not read for " + wording.Took(took) + times(b.Times) + ", nothing lost"
}

func gapText(b session.GapBody) string {
	of := ""
	if len(b.Streams) > 0 {
		of = " of " + strings.Join(b.Streams, " and ")
	}
	return fmt.Sprintf("sequence %d to %d missing: %s%s lost (%s)", b.From, b.To, wording.Counted(int(b.To-b.From+1), "event"), of, wording.Size(int64(b.Bytes)))
}

func actText(b session.ActBody) string {
	text, known := actWords[b.Act]
	if !known {
		text = b.Act
	}
	text = wording.Join(" ", text, strings.Replace(b.Detail, mcp.MethodToolsCall, "a call", 1))
	if b.Key != "" {
		text += ", key " + b.Key
	}
	switch b.By {
	case session.ByPolicy:
		text += " (by a rule)"
	case session.ByReplay:
		text += " (by the replay)"
	}
	return text
}

func times(n int) string {
	if n > 1 {
		return fmt.Sprintf(" (%d times)", n)
	}
	return ""
}
