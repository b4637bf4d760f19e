package cause

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/executor"
)

// startFailed finds a start that failed with one of the codes, or with any code
// if none are given.
func startFailed(codes ...executor.StartCode) func(*view) (found, bool) {
	return func(w *view) (found, bool) {
		if !w.failed.seen || len(codes) > 0 && !slices.Contains(codes, executor.StartCode(w.failure.Code)) {
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
	if !w.failed.seen || !executor.StartCode(w.failure.Code).Unreachable() {
		return found{}, false
	}
	return w.notStarted(), true
}

func (w *view) notStarted() found {
	f := found{text: "not started: " + strings.TrimPrefix(w.failure.Detail, "start: "), try: w.failure.Hint, row: w.failed.row}
	if w.failure.Said != "" {
		who := "it"
		if w.failure.SaidBy != "" {
			who = executor.Speaker(w.failure.SaidBy).String()
		}
		f.try += fmt.Sprintf("; %s said: %s", who, clip(w.failure.Said, quoteBytes))
	}
	f.try = strings.TrimPrefix(f.try, "; ")
	return f
}

func linkLost(w *view) (found, bool) {
	if !w.lostAt.seen || w.lost.Code == "" {
		return found{}, false
	}
	return found{text: w.lost.Error, try: w.lost.Hint, row: w.lostAt.row}, true
}

func processLost(w *view) (found, bool) {
	if !w.lostAt.seen {
		return found{}, false
	}
	return found{text: "the server's exit status is unknown: " + w.lost.Error, try: w.lost.Hint, row: w.lostAt.row}, true
}

func linkStalled(w *view) (found, bool) {
	if w.link.State != string(executor.LinkStalled) || w.over() {
		return found{}, false
	}
	silent := w.now - w.linkAt.t
	if w.live != nil && w.live.Silent > 0 {
		silent = w.live.Silent
	}
	host := w.start.Host
	if host == "" {
		host = "the host"
	}
	return found{
		text: fmt.Sprintf("no response from %s for %s", host, took(silent)),
		try:  "requests wait until it responds or the connection is lost", row: w.linkAt.row, clock: true,
	}, true
}

// echo finds a program that sends back its input: a server never sends handshake
// requests.
func echo(w *view) (found, bool) {
	return found{text: session.ErrEcho.Error(), try: diagnosis.AdviceEcho, row: w.echo.row}, w.echo.seen && !w.readyAt.seen
}

// refused finds an error response to the handshake. An error response to a probe
// does not count while initialize may follow.
func refused(w *view) (found, bool) {
	if !w.refused || w.readyAt.seen || !w.initialized() && !w.exitedAt.seen && !w.over() {
		return found{}, false
	}
	row, _ := w.row(w.handshake.row)
	f := found{text: "the server refused " + w.src.Method(row.Method), row: w.handshake.row}
	e, ok := w.message(w.handshake.row)
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
		text: fmt.Sprintf("the response to initialize has protocol version %q, which is not an MCP revision", clip(w.version, quoteShort)),
		try:  "respond with the requested version, or with another one that exists", row: w.handshake.row,
	}
	if asked := w.offered(); asked != "" {
		f.text += fmt.Sprintf("; requested: %s", clip(asked, quoteShort))
	}
	return f, true
}

// offered returns the revision that the answered initialize requested.
func (w *view) offered() string {
	answer, ok := w.row(w.handshake.row)
	if !ok {
		return ""
	}
	request, _ := answer.Partner()
	e, ok := w.message(request)
	var params struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	if !ok || json.Unmarshal(e.Msg.Params.Of(e.Payload), &params) != nil {
		return ""
	}
	return params.ProtocolVersion
}
