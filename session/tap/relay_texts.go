package tap

import (
	"strconv"
	"strings"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/session/mcp"
)

// maxQuoted is how many characters of a server's or a build's output an error quotes.
const maxQuoted = 300

// A failure is an error response of our own, which the model behind the client reads:
// one sentence with the cause first. It never has the code -32000, which clients take
// for a closed connection, nor -32001, a timeout.
type failure struct {
	kind string // data.mcpdbg
	// text is the message, in which methodHere is replaced by the method.
	text   string
	reason string // data.reason
	ran    bool   // the request was sent
}

const methodHere = "\x00"

// response returns the error response to a request. ran is the time since it was sent.
func (f *failure) response(id []byte, method string, ran time.Duration) []byte {
	if len(id) == 0 {
		id = []byte("null")
	}
	var reason, took []byte
	if f.reason != "" {
		reason = quoted(f.reason)
	}
	if f.ran {
		took = strconv.AppendInt(nil, ran.Milliseconds(), 10)
	}
	text := strings.ReplaceAll(f.text, methodHere, quotable(method, 100))
	return object(version2, member{"id", id}, member{"error", object(
		member{"code", strconv.AppendInt(nil, mcp.CodeInternal, 10)},
		member{"message", quoted(text)},
		member{"data", object(member{"mcpdbg", quoted(f.kind)}, member{"reason", reason}, member{"ranForMs", took})},
	)})
}

// quotable returns a text of somebody else for an error: one line without control
// characters, at most limit characters.
func quotable(text string, limit int) string {
	runes := []rune(wording.Visible(wording.OneLine(strings.TrimSpace(wording.Cut(text, 4*limit+4)))))
	if len(runes) <= limit {
		return string(runes)
	}
	return string(runes[:limit-1]) + wording.Ellipsis
}

func restartedFailure(reason string) failure {
	return failure{kind: "restarted", reason: reason, ran: true, text: "The server was restarted while it handled this " + methodHere +
		wording.IfAny(" (", reason) + closing(reason) + ". It may or may not have run; it was not sent again."}
}

func closing(text string) string {
	if text == "" {
		return ""
	}
	return ")"
}

// endedFailure is that of requests whose server ended by itself.
func endedFailure(exit, stderr string) failure {
	text := "The server ended (" + exit + ") while it handled this " + methodHere + "."
	if stderr != "" {
		text += ` Last line on stderr: "` + stderr + `"`
	}
	return failure{kind: "ended", ran: true, text: text}
}

// downFailure is that of requests without a server. cause is such as "it did not start (exit code
// 1)".
func downFailure(cause, stderr, name string, watched bool) failure {
	text := "The server is not running: " + cause
	if stderr != "" {
		text += `: "` + stderr + `"`
	}
	if watched {
		text += ". It is started again when a watched file changes."
	} else {
		text += ". It is started again by mcpdbg tap restart " + name + "."
	}
	return failure{kind: "down", text: text}
}

func buildFailure(line string) failure {
	return failure{kind: "build", text: "The build failed: " + line + ". This " + methodHere + " was not sent."}
}

// notSent ends the errors of requests that were held.
func notSent(again bool) string {
	if again {
		return "This request was not sent again."
	}
	return "This request was not sent."
}

func startingFailure(again bool) failure {
	return failure{kind: "starting", text: "The server is still starting or building after 20 s. " + notSent(again)}
}

func busyFailure() failure {
	return failure{kind: "busy", text: "More than 8 MiB of requests wait for the server to start. " + notSent(false)}
}

func cancelledFailure() failure { return failure{kind: "cancelled", text: "Cancelled in mcpdbg."} }
