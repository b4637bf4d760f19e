package cause

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
)

// startFailed finds a start that failed with one of the codes, or with any code
// if none are given.
func startFailed(codes ...executor.StartCode) func(*view) (found, bool) {
	return func(w *view) (found, bool) {
		if !w.Failed.Seen || len(codes) > 0 && !slices.Contains(codes, executor.StartCode(w.Failure.Code)) {
			return found{}, false
		}
		return w.notStarted(), true
	}
}

func notFound(w *view) (found, bool) {
	f, ok := startFailed(executor.StartNotFound)(w)
	if advice := diagnosis.AdviceInstall(w.argv()); ok && advice != "" {
		f.try = advice + "; " + f.try
	}
	return f, ok
}

func unreachable(w *view) (found, bool) {
	if !w.Failed.Seen || !executor.StartCode(w.Failure.Code).Unreachable() {
		return found{}, false
	}
	return w.notStarted(), true
}

func (w *view) notStarted() found {
	f := found{text: "not started: " + strings.TrimPrefix(w.Failure.Detail, "start: "), try: w.Failure.Hint, row: w.Failed.Row}
	if w.Failure.Said != "" {
		who := "it"
		if w.Failure.SaidBy != "" {
			who = executor.Speaker(w.Failure.SaidBy).String()
		}
		f.try += fmt.Sprintf("; %s said: %s", who, clip(w.Failure.Said, quoteBytes))
	}
	f.try = strings.TrimPrefix(f.try, "; ")
	return f
}

func linkLost(w *view) (found, bool) {
	if !w.Lost.Seen || w.Loss.Code == "" {
		return found{}, false
	}
	return found{text: w.Loss.Error, try: w.Loss.Hint, row: w.Lost.Row}, true
}

func processLost(w *view) (found, bool) {
	if !w.Lost.Seen {
		return found{}, false
	}
	return found{text: "the server's exit status is unknown: " + w.Loss.Error, try: w.Loss.Hint, row: w.Lost.Row}, true
}

// linkStalled finds a connection on which nothing comes, or that is lost and tried again: the
// state of the server is unknown.
func linkStalled(w *view) (found, bool) {
	recovering := w.Link.State == string(executor.LinkRecovering)
	if w.Link.State != string(executor.LinkStalled) && !recovering || w.Over() {
		return found{}, false
	}
	silent := w.now - w.Linked.T
	if w.live != nil && w.live.Silent > 0 && !recovering {
		silent = w.live.Silent
	}
	place := cmp.Or(w.Start.Host, "the host")
	f := found{text: fmt.Sprintf("no response from %s for %s", place, took(silent)), row: w.Linked.Row, clock: true}
	f.try = "requests wait until it responds or the connection is lost"
	if recovering {
		f.text = fmt.Sprintf("the connection to %s was lost %s ago: the state of the server is unknown", place, took(silent))
		f.try = "requests wait until it is restored, or given up"
	}
	return f, true
}

// echo finds a program that sends back its input: a server never sends handshake
// requests.
func echo(w *view) (found, bool) {
	return found{text: session.ErrEcho.Error(), try: diagnosis.AdviceEcho, row: w.Handshake.Echo.Row}, w.Handshake.Echo.Seen && !w.Ready.Seen
}

// refused finds an error response to the handshake. An error response to a probe
// does not count while initialize may follow.
func refused(w *view) (found, bool) {
	if !w.Handshake.Refused || w.Ready.Seen || !w.Handshake.Initialize && !w.Exited.Seen && !w.Over() {
		return found{}, false
	}
	method := mcp.MethodDiscover
	if w.Handshake.Initialize {
		method = mcp.MethodInitialize
	}
	f := found{text: "the server refused " + method, row: w.Handshake.Response.Row}
	e, ok := w.message(w.Handshake.Response.Row)
	var failure session.RPCError
	if ok && json.Unmarshal(e.Msg.Error.Of(e.Payload), &failure) == nil {
		f.text += fmt.Sprintf(": error %d, %s", failure.Code, clip(failure.Message, quoteBytes))
	}
	f.try = "check stderr; --protocol and --era change what mcpdbg requests"
	return f, true
}

func wrongVersion(w *view) (found, bool) {
	if !w.wrongVersion() {
		return found{}, false
	}
	f := found{
		text: fmt.Sprintf("the response to initialize has protocol version %q, which is not an MCP revision", clip(w.Handshake.Revision, quoteShort)),
		try:  "respond with the requested version, or with another one that exists", row: w.Handshake.Response.Row,
	}
	if asked := w.offered(); asked != "" {
		f.text += fmt.Sprintf("; requested: %s", clip(asked, quoteShort))
	}
	return f, true
}

// offered returns the revision that the answered initialize requested.
func (w *view) offered() string {
	e, ok := w.message(w.Handshake.Request)
	var params struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	if !ok || json.Unmarshal(e.Msg.Params.Of(e.Payload), &params) != nil {
		return ""
	}
	return params.ProtocolVersion
}
