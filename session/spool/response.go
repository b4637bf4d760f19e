package spool

import (
	"encoding/json"
	"slices"
	"strings"

	"mcpdbg/framing"
)

const complete = "complete"

// decisive are the members of a result that decide what follows, apart from
// resultType: it is an error, a task, or asks for input.
var decisive = []string{"isError", "task", "taskId", "status", "statusMessage", "ttl", "ttlMs", "pollInterval", "pollIntervalMs", "inputRequests",
	"requestState", "result", "error", "resultType"}

// ready reports whether what was scanned so far suffices to know that the result is
// to be copied. In the modern era its type decides that.
func (l *Line) ready() bool {
	return string(l.scan.ID()) == l.id && (!l.modern || resultType(&l.scan) == complete)
}

func resultType(scan *framing.Incremental) string {
	var m struct {
		Result struct {
			ResultType string `json:"resultType"`
		} `json:"result"`
	}
	_ = json.Unmarshal(scan.Digest(), &m) // of another type: none
	return m.Result.ResultType
}

// Digest returns the digest of the line, which ended with line, and the message in
// it; ok is false if that does not suffice for everything but the bytes: the line is
// not the response, it is a task or asks for input, or has to be scanned as a whole.
func (l *Line) Digest(line *framing.Line) (digest []byte, m framing.Message, ok bool) {
	scan := &l.scan
	if !line.Whole() || line.EOL != framing.LF || !scan.Done() || string(scan.ID()) != l.id || slices.ContainsFunc(scan.Omitted(), isDecisive) {
		return nil, m, false
	}
	digest, m = scan.Digest(), scan.Message()
	result := m.Result.Of(digest)
	for key, value := range framing.Members(result) {
		name := strings.Trim(string(key.Of(result)), `"`)
		known := name == "isError" || name == "resultType" && string(value.Of(result)) == `"`+complete+`"`
		if !known && isDecisive(name) {
			return nil, m, false
		}
	}
	return digest, m, true
}

func isDecisive(name string) bool {
	return slices.ContainsFunc(decisive, func(d string) bool { return strings.EqualFold(name, d) })
}

// End ends the line, which is logged with the given payload, its digest or all of it.
// If it is the response, its result is copied to the end, unless it was not begun and
// is in the payload as a whole.
func (l *Line) End(m framing.Message, payload []byte, digest bool) {
	begin, end := l.scan.Result()
	switch {
	case digest:
		l.keep(begin, end)
	case l.Begun() && m.Kind == framing.Response && string(m.ID.Of(payload)) == l.id && int64(m.Result.Start) == begin:
		l.keep(begin, int64(m.Result.End))
	default:
		l.drop()
	}
}
