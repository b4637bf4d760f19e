package cause

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/mcp"
)

// How long a condition must last before it is reported, in microseconds.
const (
	silentAfter     = 5_000_000  // no byte since the first request
	bannerTime      = 1_000_000  // stderr output this early may be a banner
	slowAfter       = 10_000_000 // one call, without any output
	unwrittenAfter  = 1_000_000
	askedAfter      = 1_000_000 // a recording that ends with a pending server request
	bufferedRequest = 3_000_000 // age of a request whose response was buffered
)

// waitsForYou finds a server request that waits for the user, or, in a recording,
// one that was never answered.
func waitsForYou(w *view) (found, bool) {
	if w.live != nil {
		return w.waitsNow()
	}
	if len(w.asking) == 0 {
		return found{}, false
	}
	q := w.asking[0]
	until := w.now
	if w.Exited.Seen {
		until = w.Exited.T
	}
	return found{
		text: fmt.Sprintf("the server waited %s for a response to %s", took(until-q.t), w.call(q.row)),
		try:  "the request was never answered", row: q.row,
	}, until-q.t >= askedAfter
}

func (w *view) waitsNow() (found, bool) {
	if len(w.live.ServerRequests) == 0 {
		return found{}, false
	}
	a := w.live.ServerRequests[0]
	waited := "0 s"
	if us := w.now - a.Since; us >= 1e6 {
		waited = took(us)
	}
	text := fmt.Sprintf("waiting for your response for %s: %s", waited, clip(a.Method, quoteShort))
	if n := len(w.live.ServerRequests) - 1; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return found{text: text, try: "answer the request", row: w.numbered(a.N), clock: true}, true
}

// numbered returns the row of entry n in a live log, which has no gaps, or -1 if
// that row is a different entry.
func (w *view) numbered(n uint64) int {
	row, ok := w.row(int(n) - 1)
	if !ok {
		return -1
	}
	if e, ok := w.entry(row, quoteBytes); !ok || e.N != n {
		return -1
	}
	return int(n) - 1
}

// wrongID finds responses with unknown ids while a request is pending.
func wrongID(w *view) (found, bool) {
	calls, answer := w.waitingFor(), w.orphans.row
	if w.orphans.n == 0 || len(calls) == 0 || calls[0].row > w.orphans.last {
		return found{}, false // it came before the request
	}
	call := calls[0].row
	if answer < call {
		answer = w.orphans.last
	}
	asked, answered := w.id(call), w.id(answer)
	text := fmt.Sprintf("a response has the unknown id %s, and %s has no response: do they belong together?", clip(answered, quoteShort), w.call(call))
	try := "return the id of the request byte for byte"
	if why := sameID(asked, answered); why != "" {
		try += ": " + why
	}
	brief := fmt.Sprintf("the response with the unknown id %s belongs to %s", clip(answered, quoteShort), w.call(call))
	return found{text: text, brief: brief, try: try, row: answer}, true
}

// sameID explains how an id was changed, or returns "" if the ids are unrelated.
func sameID(asked, answered string) string {
	a, b := strings.Trim(asked, `"`), strings.Trim(answered, `"`)
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	switch {
	case asked == "" || answered == "" || asked == answered:
		return ""
	case answered == "null":
		return "null is for requests that could not be parsed"
	case a == b:
		return "a number is not a string"
	case errX == nil && errY == nil && x == y:
		return "it was rounded to a floating-point number"
	}
	return ""
}

func notReading(w *view) (found, bool) {
	if w.live == nil || w.live.Unwritten == 0 || !w.Alive() {
		return found{}, false
	}
	since := w.now - w.live.UnwrittenSince
	row := -1
	if n := len(w.asked); n > 0 {
		row = w.asked[n-1].row
	}
	return found{
		text: fmt.Sprintf("the server does not read stdin: %s unread for %s", wording.Plural(w.live.Unwritten, "byte"), took(since)),
		try:  "it may be blocked in a call, or waiting for its output to be read", row: row, clock: true,
	}, since >= unwrittenAfter
}

// bufferedToTheEnd finds responses that came only when stdin was closed.
func bufferedToTheEnd(w *view) (found, bool) {
	if !w.first.Seen || w.answered == 0 || !w.Clues.Begun(w.first.T) {
		return found{}, false
	}
	answer, _ := w.row(w.first.Row)
	request, _ := answer.Partner()
	asked, ok := w.row(request)
	return found{
		text: "responses came only when stdin was closed: stdout is block-buffered",
		try:  diagnosis.AdviceFlush(w.argv()), row: w.first.Row,
	}, ok && w.first.T-asked.T >= bufferedRequest
}

// quiet returns the oldest pending request and its age, if there has been no
// output at all.
func (w *view) quiet() (request, int64, bool) {
	if !w.Alive() || w.latest.Seen || w.Waiting.Seen || len(w.asked) == 0 {
		return request{}, 0, false
	}
	q := w.asked[0]
	return q, w.now - q.t, w.now-q.t >= silentAfter
}

// fetching finds a launcher that has written nothing so far: it may be downloading
// the server, and nothing points to a buffered output.
func fetching(w *view) (found, bool) {
	q, since, ok := w.quiet()
	launcher := diagnosis.Launcher(w.argv())
	return found{
		text: fmt.Sprintf("no output on stdout for %s: %s may still be downloading or building the server", took(since), launcher),
		try:  w.silentAdvice(""), row: q.row, clock: true,
	}, ok && launcher != ""
}

func buffered(w *view) (found, bool) {
	q, since, ok := w.quiet()
	return found{
		text:  fmt.Sprintf("no response: the server is running, but wrote 0 bytes in %s; its output may be buffered", took(since)),
		brief: fmt.Sprintf("the output of the server is buffered: it is running, but wrote 0 bytes in %s", took(since)),
		try:   w.silentAdvice(diagnosis.AdviceFlush(w.argv())), row: q.row, clock: true,
	}, ok
}

// silent finds a server that writes to stderr instead of responding, apart from a
// banner at its start.
func silent(w *view) (found, bool) {
	q, since, ok := w.quiet()
	if !ok {
		return found{}, false
	}
	said := w.lastWords(q.t)
	at, sure := telling(said.lines)
	if at < 0 || !sure && w.lastWordAt() < q.t+bannerTime {
		return found{}, false
	}
	return found{
		text:  fmt.Sprintf("no response for %s: the server is running, but writes only to stderr: %s", took(since), clip(said.lines[at], quoteBytes)),
		brief: fmt.Sprintf("no response for %s: the server is running, but writes only to stderr", took(since)),
		try:   w.silentAdvice(diagnosis.AdviceFlush(w.argv())), row: said.rows[at], clock: true,
	}, true
}

// lastWordAt is 0 if there is no stderr line.
func (w *view) lastWordAt() int64 {
	rows := w.words.all()
	if len(rows) == 0 {
		return 0
	}
	row, _ := w.row(rows[len(rows)-1])
	return row.T
}

// silentAdvice returns advice about a silent server: specific to its launcher or
// environment, otherwise the default.
func (w *view) silentAdvice(usual string) string {
	var advice []string
	if launcher := diagnosis.AdviceLauncher(w.argv()); launcher != "" {
		advice = append(advice, launcher)
	}
	if missing := w.omitted(); len(missing) > 0 {
		advice = append(advice, fmt.Sprintf("set in your shell but not passed to it: %s (--env-from)", strings.Join(missing, " ")))
	}
	if len(advice) == 0 {
		return usual
	}
	return strings.Join(advice, "; ")
}

// netVariables are variables that programs need behind a proxy or a private
// certificate authority. Without them they often fail silently.
var netVariables = []string{
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
	"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "npm_config_registry", "PIP_INDEX_URL",
}

// omitted returns the netVariables that were not passed to the process.
func (w *view) omitted() (names []string) {
	for _, name := range netVariables {
		if slices.Contains(w.Env.Omitted, name) {
			names = append(names, name)
		}
	}
	return names
}

// handshakeTimeout finds a handshake that timed out without a known reason.
func handshakeTimeout(w *view) (found, bool) {
	q, late := w.lateHandshake()
	if !late || w.answered > 0 && w.Handshake.Response.T > q.t {
		return found{}, false
	}
	row, _ := w.row(q.row)
	until := w.now
	if w.Exited.Seen {
		until = w.Exited.T
	}
	f := found{text: fmt.Sprintf("no response to %s within %s", w.src.Method(row.Method), took(until-q.t)), row: q.row}
	if f.try = "raise --startup-timeout if the server starts slowly"; !w.latest.Seen {
		f.text += ", and no output on stdout"
		f.try = w.silentAdvice(diagnosis.AdviceSilent)
	}
	return f, true
}

// unansweredCall finds a call that has been pending for long without any output,
// or that timed out, unless the server has responded to something since.
func unansweredCall(w *view) (found, bool) {
	if w.Ready.Seen != (w.answered > 0) {
		return found{}, false
	}
	until := w.now
	if w.Exited.Seen {
		until = w.Exited.T
	}
	for _, q := range w.waitingFor() {
		f := found{try: "cancel it, or check stderr", row: q.row}
		switch {
		case q.timedOut:
			if w.answeredAt > q.t || q.handshake {
				continue // it works again, or another cause covers the handshake
			}
			f.text, f.try = "no response to "+w.call(q.row)+": timed out", "check stderr; --timeout raises the limit"
		case max(w.latest.T, q.t) > until-slowAfter:
			return found{}, false // and so are the newer ones
		case !w.Alive():
			f.text, f.try = fmt.Sprintf("no response to %s within %s", w.call(q.row), took(until-q.t)), "check stderr"
		default:
			f.text = fmt.Sprintf("no response to %s for %s%s", w.call(q.row), took(until-q.t), w.signs(until))
			f.clock = true
		}
		return f, true
	}
	return found{}, false
}

// namedCalls is how many calls without a response are named.
const namedCalls = 3

// neverAnswered finds calls of a recording without a response, though later ones have one.
func neverAnswered(w *view) (found, bool) {
	if w.live != nil {
		return found{}, false
	}
	var names []string
	first, n, late := -1, 0, 0
	for _, q := range w.waitingFor() {
		row, _ := w.row(q.row)
		if q.handshake || mcp.WaitsLong(w.src.Method(row.Method)) {
			continue
		}
		if w.answeredAt-q.t < askedAfter {
			late++
			continue
		}
		if n++; n == 1 {
			first = q.row
		}
		if n <= namedCalls {
			names = append(names, w.called(q.row))
		}
	}
	text := wording.PluralOf(n, "call was never answered", "calls were never answered") + ": " + strings.Join(names, ", ")
	if n > namedCalls {
		text += fmt.Sprintf(" and %d more", n-namedCalls)
	}
	if late > 0 {
		text += fmt.Sprintf(" (and %d sent too late to tell)", late)
	}
	return found{text: text, try: "compare them with the calls that were answered", row: first}, n > 0
}

func (w *view) signs(now int64) string {
	text := "; the server is running, last stdout line " + took(now-w.latest.T) + " ago"
	if last := w.lastWordAt(); last > 0 {
		text += ", last stderr line " + took(now-last) + " ago"
	}
	return text
}

func unknownIDs(w *view) (found, bool) {
	if w.orphans.n == 0 {
		return found{}, false
	}
	text := wording.PluralOf(w.orphans.n, "response to an unknown request id", "responses to unknown request ids")
	if id := w.id(w.orphans.row); id != "" {
		text += ", such as " + clip(id, quoteShort)
	}
	return found{text: text, try: "return the id of the request byte for byte", row: w.orphans.row}, true
}

// parseError finds error responses without an id, which a server sends for a line that
// it could not read.
func parseError(w *view) (found, bool) {
	e, ok := w.message(w.noIDs.row)
	if w.noIDs.n == 0 || !ok {
		return found{}, false
	}
	text := "the server could not read " + wording.Plural(w.noIDs.n, "line")
	var failure session.RPCError
	if json.Unmarshal(e.Msg.Error.Of(e.Payload), &failure) == nil {
		text += ": " + clip(failure.Error(), quoteBytes)
	}
	return found{text: text, try: "compare the lines that were sent before it", row: w.noIDs.row}, true
}

func answeredTwice(w *view) (found, bool) {
	return found{
		text: wording.Plural(w.twice.n, "duplicate response"),
		try:  "answer each request once; most clients ignore later responses", row: w.twice.row,
	}, w.twice.n > 0
}
