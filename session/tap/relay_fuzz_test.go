package tap

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// A world is a client, a server and an owner of processes around a relay, which do
// something different for each byte of the input.
type world struct {
	t     *testing.T
	r     *relay
	now   time.Time
	input []byte
	trace []string

	modern bool
	// The client.
	nextID    int
	asked     map[string]string // its requests, by id, with the method
	answered  map[string]int
	cancelled map[string]bool
	questions map[string]string // requests of servers that it has not answered, by id
	closed    bool
	told      bool // it got the response to initialize
	acks      map[string]int
	// The server.
	process  int
	alive    bool
	stopping bool
	starting bool
	pending  []string // ids of requests
	nextAsk  int
	open     map[string]bool // questions of this process
	calls    map[string]int  // how often a server got a call, by id
	streams  map[string]bool // that this process has
}

func newWorld(t *testing.T, input []byte) *world {
	w := &world{t: t, now: morning, input: input, starting: true,
		asked: map[string]string{}, answered: map[string]int{}, cancelled: map[string]bool{}, questions: map[string]string{}, calls: map[string]int{}, acks: map[string]int{}}
	w.modern = w.byte()%4 == 0
	w.r = newRelay(relayConfig{name: "notes", hex: "0a1b2c3d", watched: true})
	return w
}

func (w *world) byte() byte {
	if len(w.input) == 0 {
		return 0
	}
	b := w.input[0]
	w.input = w.input[1:]
	return b
}

func (w *world) failf(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("%s\n%s", fmt.Sprintf(format, args...), strings.Join(w.trace[max(0, len(w.trace)-60):], "\n"))
}

// do performs acts of the relay.
func (w *world) do(what string, acts []act) {
	w.trace = append(w.trace, what)
	for _, a := range acts {
		for _, text := range render([]act{a}) {
			w.trace = append(w.trace, "    "+text)
		}
		switch {
		case a.do == stopServer:
			w.stopping = w.alive
		case a.do == startServer:
			if w.alive || w.starting {
				w.failf("two processes")
			}
			w.starting = true
		case a.to == clientSide:
			w.atClient(a.out)
		case a.to == serverSide:
			w.atServer(a.out)
		}
	}
	for _, h := range w.r.held.lines {
		if w.now.Sub(h.since) > holdLimit {
			w.failf("held for %s: %s", w.now.Sub(h.since), h.unit.line)
		}
	}
	if due := w.r.next(); !due.IsZero() && !due.After(w.now) && strings.HasPrefix(what, "+") {
		w.failf("due at once: %s", due)
	}
}

func (w *world) atClient(line []byte) {
	u := readUnit(line)
	for i := range u.elements {
		el := &u.elements[i]
		id := string(el.id())
		switch el.Kind {
		case framing.Request:
			if _, ok := w.questions[id]; ok {
				w.failf("two open questions with the id %s", id)
			}
			w.questions[id] = string(el.param("n"))
		case framing.Response, framing.ErrorResponse:
			w.answered[id]++
			if _, ok := w.asked[id]; !ok || w.answered[id] > 1 {
				w.failf("unexpected response to %s", id)
			}
			if of := el.find(el.Result, "of").Of(el.data); of != nil && string(of) != id {
				w.failf("a response to %s for %s", of, id)
			}
			w.told = w.told || w.asked[id] == "initialize" && el.Kind == framing.Response
		case framing.Notification:
			if id := string(el.param("_meta", mcp.MetaSubscriptionID)); id != "" {
				if el.method() == mcp.MethodAcknowledged {
					w.acks[id]++
				}
				if w.acks[id] != 1 {
					w.failf("%d acknowledgements of %s", w.acks[id], id)
				}
			}
			if el.method() != "notifications/cancelled" {
				continue
			}
			cancelled := string(el.param("requestId"))
			if _, ok := w.asked[cancelled]; ok && w.answered[cancelled] == 0 && !w.cancelled[cancelled] && len(el.param("reason")) > 2 {
				w.failf("cancellation with an id that the client has open: %s", cancelled)
			}
		}
	}
}

func (w *world) atServer(line []byte) {
	if !w.alive {
		w.failf("sent to no process: %s", line)
	}
	u := readUnit(line)
	for i := range u.elements {
		el := &u.elements[i]
		id := string(el.id())
		switch el.Kind {
		case framing.Request:
			if el.method() == "tools/call" {
				if w.calls[id]++; w.calls[id] > 1 {
					w.failf("call %s twice", id)
				}
				if w.cancelled[id] || w.answered[id] > 0 {
					w.failf("call %s is sent after its end", id)
				}
			}
			if slices.Contains(w.pending, id) {
				w.failf("request %s is sent twice to one process", id)
			}
			w.pending = append(w.pending, id)
		case framing.Response, framing.ErrorResponse:
			if n := string(el.find(el.Result, "n").Of(el.data)); !w.open[id] || n != w.question(id) {
				w.failf("answer %s to question %s of process %d", n, id, w.process)
			}
			delete(w.open, id)
		}
	}
}

// question is the text of a question of the current process.
func (w *world) question(id string) string { return fmt.Sprintf("%d%03s", w.process, id) }

// fromClient lets the client send something.
func (w *world) fromClient() {
	if w.closed {
		return
	}
	send := func(text string) { w.do("client "+text, w.r.fromClient(expand(text), w.now)) }
	request := func(method string) string {
		id := fmt.Sprint(w.nextID)
		w.nextID++
		w.asked[id] = method
		return id + " " + method + ` {"uri":"u` + fmt.Sprint(w.byte()%3) + `","_meta":{"progressToken":` + id + `}}`
	}
	if w.nextID == 0 && !w.modern {
		send(request("initialize"))
		return
	}
	switch b := w.byte() % 16; b {
	case 0, 1, 2, 3, 4:
		send(request("tools/call"))
	case 5, 6, 7, 8, 9:
		send(request([]string{"tools/list", "resources/read", "x/y", "ping", "logging/setLevel"}[b-5]))
	case 10:
		if w.modern {
			id := fmt.Sprint(w.nextID)
			w.nextID++
			w.asked[id] = mcp.MethodListen
			send(id + ` subscriptions/listen {"notifications":{"toolsListChanged":true,"resourceSubscriptions":["x:y"]}}`)
			return
		}
		send(request([]string{"resources/subscribe", "resources/unsubscribe"}[w.byte()%2]))
	case 11:
		id := fmt.Sprint(int(w.byte()) % max(1, w.nextID))
		if w.asked[id] != "" && w.asked[id] != "initialize" {
			w.cancelled[id] = true
			send(`notifications/cancelled {"requestId":` + id + `}`)
		}
	case 12, 13:
		for _, id := range slices.Sorted(keys(w.questions)) {
			n := w.questions[id]
			delete(w.questions, id)
			send(id + ` = {"n":` + n + `}`)
			break
		}
	case 14:
		if w.told && !w.modern {
			w.told = false
			send("notifications/initialized")
		} else {
			send("notifications/roots/list_changed")
		}
	case 15:
		first, second := request("tools/call"), request("resources/read")
		line := slices.Concat([]byte("["), bytes.TrimSpace(expand(first)), []byte(","), bytes.TrimSpace(expand(second)), []byte("]"))
		send(string(line))
	}
}

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for key := range m {
			if !yield(key) {
				return
			}
		}
	}
}

// fromServer lets the server send something.
func (w *world) fromServer() {
	if !w.alive {
		return
	}
	send := func(text string) { w.do("server "+text, w.r.fromServer(expand(text), w.now)) }
	switch b := w.byte() % 8; b {
	case 0, 1, 2, 3:
		if len(w.pending) > 0 {
			w.answer(int(w.byte()) % len(w.pending))
		}
	case 4, 5:
		if w.modern {
			return
		}
		id := fmt.Sprint(w.nextAsk)
		w.nextAsk++
		w.open[id] = true
		send(id + ` roots/list {"n":` + w.question(id) + `,"_meta":{"progressToken":` + id + `}}`)
	case 6:
		send(`notifications/progress {"progressToken":` + fmt.Sprint(w.byte()) + `}`)
	case 7:
		if w.process > 1 {
			send(`77777 = {}`)
		}
	}
}

// answer answers a request that the server has.
func (w *world) answer(i int) {
	id := w.pending[i]
	w.pending = slices.Delete(w.pending, i, i+1)
	if w.asked[id] == mcp.MethodListen {
		w.streams[id] = true
		text := fmt.Sprintf(`notifications/subscriptions/acknowledged {"notifications":{"toolsListChanged":true},"_meta":{"%s":%s}}`, mcp.MetaSubscriptionID, id)
		w.do("server "+text, w.r.fromServer(expand(text), w.now))
		return
	}
	text := id + ` = {"of":` + id + `,"tools":[` + fmt.Sprint(w.byte()%2) + `],"capabilities":{"tools":{},"resources":{}}}`
	if w.byte()%8 == 7 {
		text = id + ` ! {"code":-32602,"message":"no"}`
	}
	w.do("server "+text, w.r.fromServer(expand(text), w.now))
}

// end ends the process, or reports that it did not start.
func (w *world) end() {
	w.alive, w.stopping, w.starting, w.pending, w.open = false, false, false, nil, nil
	w.do("ended", w.r.ended("exit code 1", "oops", w.now))
}

func (w *world) start() {
	w.starting, w.alive, w.nextAsk, w.open, w.streams = false, true, 0, map[string]bool{}, map[string]bool{}
	w.process++
	w.do("started", w.r.started(w.now))
}

// owner lets the process, the files and the clock do something.
func (w *world) owner() {
	switch b := w.byte() % 16; {
	case b < 4 && w.starting:
		w.start()
	case b == 4 && w.starting, b < 4 && w.stopping, b == 5 && w.alive:
		w.end()
	case b == 6:
		w.do("noticed", w.r.changeNoticed(w.now))
	case b == 7:
		w.do("built-not", w.r.buildFailed("x", w.now))
	case b == 8:
		w.do("dropped", w.r.changeDropped(w.now))
	case b == 9 || b == 10:
		w.do("restart", w.r.restart("r", time.Duration(b-9)*5*time.Second, w.now))
	case b == 11 && w.byte()%8 == 0:
		w.closed = true
		w.do("closed", w.r.clientClosed(w.now))
	case b == 12:
		salt := w.byte()
		w.do("arm", w.r.steer.arm(func(m *Message) bool { return (m.Line[len(m.Line)/2]^salt)%3 == 0 }, "", w.now))
	case b == 13:
		w.steer()
	default:
		w.pass(time.Duration(w.byte()) * 50 * time.Millisecond)
	}
}

// steer decides about a message that a person holds.
func (w *world) steer() {
	if len(w.r.steer.lines) == 0 {
		return
	}
	l := w.r.steer.lines[int(w.byte())%len(w.r.steer.lines)]
	el := l.unit.only()
	switch b := w.byte() % 4; {
	case b == 0 && el != nil && l.from == clientSide && el.Kind == framing.Request:
		acts, err := w.r.steer.answer(l.n, []byte(`"result":{}`), w.now)
		require.NoError(w.t, err)
		w.do("answer", acts)
	case b == 1 && el != nil && el.Kind == framing.Request && el.method() != "initialize":
		w.cancelled[string(el.id())] = w.cancelled[string(el.id())] || l.from == clientSide
		acts, err := w.r.steer.drop(l.n, w.now)
		require.NoError(w.t, err)
		w.do("drop", acts)
	case b == 2:
		acts, _, err := w.r.steer.drive("tools/call", nil, w.now)
		if err == nil {
			w.do("drive", acts)
		}
	default:
		acts, err := w.r.steer.letGo(l.n, nil, false, w.now)
		if !errors.Is(err, ErrOvertakes) {
			require.NoError(w.t, err)
			w.do("let go", acts)
		}
	}
}

// pass lets time pass, and the relay does everything when it is due.
func (w *world) pass(d time.Duration) {
	for end := w.now.Add(d); ; {
		due := w.r.next()
		if due.IsZero() || due.After(end) {
			w.now = end
			return
		}
		w.now = due
		w.do("+", w.r.tick(w.now))
	}
}

// finish lets everything come to an end: each request gets a response.
func (w *world) finish() {
	if w.closed {
		return
	}
	w.do("disarm", w.r.steer.arm(nil, "", w.now))
	w.do("dropped", w.r.changeDropped(w.now))
	for range 4 {
		if w.stopping {
			w.end()
		}
		if w.starting {
			w.start()
		}
		for i := 0; len(w.pending) > 0 && i < 10_000; i++ {
			w.answer(0)
		}
		w.pass(time.Minute)
	}
	for id, method := range w.asked {
		if method == mcp.MethodListen && w.answered[id] == 0 && (!w.alive || w.streams[id] && w.acks[id] == 1) {
			continue
		}
		if w.answered[id] == 0 && !w.cancelled[id] {
			w.failf("%s %s has no response", id, method)
		}
	}
}

func (w *world) run() {
	for len(w.input) > 0 {
		switch w.byte() % 4 {
		case 0, 1:
			w.fromClient()
		case 2:
			w.fromServer()
		case 3:
			w.owner()
		}
	}
	w.finish()
}

// FuzzRelay checks that no call runs twice, no response goes astray and nothing waits for
// too long, whatever happens in which order.
func FuzzRelay(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(randomInput(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) { newWorld(t, input[:min(len(input), 2000)]).run() })
}

func TestRandomRestarts(t *testing.T) {
	restarts := 0
	for seed := range uint64(60) {
		w := newWorld(t, randomInput(seed))
		w.run()
		restarts += w.process
	}
	require.Greater(t, restarts, 240)
}

func randomInput(seed uint64) []byte {
	random := rand.New(rand.NewPCG(seed, 26))
	input := make([]byte, 400+random.IntN(1600))
	for i := range input {
		input[i] = byte(random.Uint32())
	}
	return input
}
