package verdict

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mcpdbg/session"
)

// How long something has to last to be worth a word, in microseconds.
const (
	silentAfter     = 5_000_000  // no byte since the first request
	bannerTime      = 1_000_000  // what comes on stderr so early may be a greeting
	slowAfter       = 10_000_000 // one call, while there is no sign of life
	unwrittenAfter  = 1_000_000
	askedAfter      = 1_000_000 // a recording that ends with a question
	bufferedRequest = 3_000_000 // how old a request is whose answer was held back
)

// waitsForYou finds a server that asks. Of a recording it is what was never
// answered.
func waitsForYou(w *view) (found, bool) {
	if w.live != nil {
		return w.asks()
	}
	if len(w.asking.open) == 0 {
		return found{}, false
	}
	q := w.asking.open[0]
	until := w.now
	if w.exitedAt.seen {
		until = w.exitedAt.t
	}
	return found{
		text: fmt.Sprintf("the server waited for an answer to %s, for %s", w.call(q.row), took(until-q.t)),
		try:  "nobody answered it", row: q.row,
	}, until-q.t >= askedAfter
}

func (w *view) asks() (found, bool) {
	if len(w.live.Asks) == 0 {
		return found{}, false
	}
	a := w.live.Asks[0]
	text := fmt.Sprintf("the server waits for you, for %s: %s", took(w.now-a.Since), clip(a.Method, quoteShort))
	if n := len(w.live.Asks) - 1; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return found{text: text, try: "answer it", row: w.numbered(a.N), clock: true}, true
}

// numbered is the row of entry n of a live log, which has no holes; -1 if that
// is another one.
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

// wrongID finds answers to ids that nobody asked with, while a request waits.
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
	text := fmt.Sprintf("an answer has id %s, and nobody asked with that; %s has none: is it the same?", clip(answered, quoteShort), w.call(call))
	try := "an answer carries the id of its request, byte for byte"
	if why := sameID(asked, answered); why != "" {
		try += ": " + why
	}
	return found{text: text, try: try, row: answer}, true
}

// sameID says how an id became another one; "" if they have nothing in common.
func sameID(asked, answered string) string {
	a, b := strings.Trim(asked, `"`), strings.Trim(answered, `"`)
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	switch {
	case asked == "" || answered == "" || asked == answered:
		return ""
	case answered == "null":
		return "null is for requests that could not be read"
	case a == b:
		return "a number is no string"
	case errX == nil && errY == nil && x == y:
		return "it went through a floating-point number"
	}
	return ""
}

// notReading finds a server that leaves its input in the pipe.
func notReading(w *view) (found, bool) {
	if w.live == nil || w.live.Unwritten == 0 || !w.alive() {
		return found{}, false
	}
	since := w.now - w.live.UnwrittenSince
	row := -1
	if n := len(w.asked.open); n > 0 {
		row = w.asked.open[n-1].row
	}
	return found{
		text: fmt.Sprintf("the server does not read its standard input: %s not taken for %s", count(w.live.Unwritten, "byte", "bytes"), took(since)),
		try:  "it may be blocked in a call, or wait for somebody to read what it writes", row: row, clock: true,
	}, since >= unwrittenAfter
}

// bufferedToTheEnd finds answers that came only when stdin was closed.
func bufferedToTheEnd(w *view) (found, bool) {
	if !w.first.seen || w.answered == 0 || !w.ending.clues.Begun(w.first.t) {
		return found{}, false
	}
	answer, _ := w.row(w.first.row)
	asked, ok := w.row(int(answer.Pair) - 1)
	return found{
		text: "its answers came only when stdin was closed: its stdout is block-buffered",
		try:  session.AdviceFlush(w.argv()), row: w.first.row,
	}, ok && w.first.t-asked.T >= bufferedRequest
}

// quiet is the request that has waited longest while not one byte came, and
// for how long.
func (w *view) quiet() (request, int64, bool) {
	if !w.alive() || w.latest.seen || w.waiting.seen || len(w.asked.open) == 0 {
		return request{}, 0, false
	}
	q := w.asked.open[0]
	return q, w.now - q.t, w.now-q.t >= silentAfter
}

// buffered finds a server that neither answers nor complains.
func buffered(w *view) (found, bool) {
	q, since, ok := w.quiet()
	return found{
		text: fmt.Sprintf("no answer: the server is alive, and 0 bytes came for %s; they may be held in a buffer", took(since)),
		try:  w.silentAdvice(session.AdviceFlush(w.argv())), row: q.row, clock: true,
	}, ok
}

// silent finds a server that writes to stderr instead of answering. A banner
// at its start is not meant.
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
		text: fmt.Sprintf("no answer for %s: the server is alive, and writes to stderr only: %s", took(since), clip(said.lines[at], quoteBytes)),
		try:  w.silentAdvice(session.AdviceFlush(w.argv())), row: said.rows[at], clock: true,
	}, true
}

// lastWordAt is when the last line of stderr came; 0 if there is none.
func (w *view) lastWordAt() int64 {
	rows := w.words.all()
	if len(rows) == 0 {
		return 0
	}
	row, _ := w.row(rows[len(rows)-1])
	return row.T
}

// silentAdvice is what to try about a server that says nothing: what its
// launcher or its environment suggest, else the usual.
func (w *view) silentAdvice(usual string) string {
	var advice []string
	if launcher := session.AdviceLauncher(w.argv()); launcher != "" {
		advice = append(advice, launcher)
	}
	if missing := w.leftOut(); len(missing) > 0 {
		advice = append(advice, fmt.Sprintf("not passed to it, and in your shell: %s (--env-from)", strings.Join(missing, " ")))
	}
	if len(advice) == 0 {
		return usual
	}
	return strings.Join(advice, "; ")
}

// netVariables are without which programs behind a proxy or a private
// certificate authority reach nothing, and often say nothing.
var netVariables = []string{
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
	"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "npm_config_registry", "PIP_INDEX_URL",
}

// leftOut are the variables that the process may miss without a word.
func (w *view) leftOut() (names []string) {
	for _, name := range netVariables {
		if slices.Contains(w.env.LeftOut, name) {
			names = append(names, name)
		}
	}
	return names
}

// handshakeTimeout finds a handshake that was given up, for no other reason
// that is known.
func handshakeTimeout(w *view) (found, bool) {
	q, late := w.lateHandshake()
	if !late || w.answered > 0 && w.handshake.t > q.t {
		return found{}, false
	}
	row, _ := w.row(q.row)
	until := w.now
	if w.exitedAt.seen {
		until = w.exitedAt.t
	}
	f := found{text: fmt.Sprintf("%s was not answered within %s", w.src.Method(row.Method), took(until-q.t)), row: q.row}
	if f.try = "raise --startup-timeout if it is only slow"; !w.latest.seen {
		f.text += ", and nothing came on stdout"
		f.try = w.silentAdvice(session.AdviceSilent)
	}
	return f, true
}

// unansweredCall finds a call that waits for long while no sign of life comes,
// or for which nobody waits any more, unless the server has answered since.
func unansweredCall(w *view) (found, bool) {
	if w.readyAt.seen != (w.answered > 0) {
		return found{}, false
	}
	until := w.now
	if w.exitedAt.seen {
		until = w.exitedAt.t
	}
	for _, q := range w.waitingFor() {
		row, _ := w.row(q.row)
		f := found{try: "it can be cancelled; stderr may say what it does", row: q.row}
		switch {
		case row.State == session.ReqTimedOut:
			if w.answeredAt > q.t || w.methods.shakesHands(w.src, row.Method) {
				continue // it works again; or another cause tells of the handshake
			}
			f.text, f.try = w.call(q.row)+" was not answered in time", "stderr may say why; --timeout gives it longer"
		case max(w.latest.t, q.t) > until-slowAfter:
			return found{}, false // so it is for those behind it
		case !w.alive():
			f.text, f.try = fmt.Sprintf("%s was never answered, in %s", w.call(q.row), took(until-q.t)), "stderr may say why"
		default:
			f.text = fmt.Sprintf("%s has waited for its answer for %s%s", w.call(q.row), took(until-q.t), w.signs(until))
			f.clock = true
		}
		return f, true
	}
	return found{}, false
}

// signs says when something was heard last of a server that is alive.
func (w *view) signs(now int64) string {
	text := "; the server is alive, its last line on stdout is " + took(now-w.latest.t) + " old"
	if last := w.lastWordAt(); last > 0 {
		text += ", on stderr " + took(now-last)
	}
	return text
}

// unknownIDs finds answers that nobody waits for.
func unknownIDs(w *view) (found, bool) {
	if w.orphans.n == 0 {
		return found{}, false
	}
	text := count(w.orphans.n, "answer has an id", "answers have ids") + " that nobody asked with"
	if id := w.id(w.orphans.row); id != "" {
		text += ", such as " + clip(id, quoteShort)
	}
	if failure := w.parseError(w.orphans.row); failure != "" {
		text += ": " + failure
	}
	return found{text: text, try: "an answer carries the id of its request, byte for byte", row: w.orphans.row}, true
}

// parseError is what an error without an id says: the server could not read
// something.
func (w *view) parseError(number int) string {
	e, ok := w.message(number)
	var failure session.RPCError
	if !ok || string(e.Msg.ID.Of(e.Payload)) != "null" || json.Unmarshal(e.Msg.Error.Of(e.Payload), &failure) != nil {
		return ""
	}
	return clip(failure.Error(), quoteBytes)
}

func answeredTwice(w *view) (found, bool) {
	return found{
		text: count(w.twice.n, "answer came", "answers came") + " a second time",
		try:  "a request is answered once; most clients ignore what comes after", row: w.twice.row,
	}, w.twice.n > 0
}
