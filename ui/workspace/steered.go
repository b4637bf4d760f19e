package workspace

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/tap/control"
)

// A TapLink is the connection to a live tap, as control.Viewer implements it. Its methods
// may be called from any goroutine; those with a context wait for the tap.
type TapLink interface {
	State() control.State
	Changed() <-chan struct{} // has one slot
	Done() <-chan struct{}    // closed when the tap has ended, or the connection is lost
	Steers() bool
	Steer(ctx context.Context, take bool) error
	Release(ctx context.Context) error
	Hold(ctx context.Context, filter string) error
	Line(ctx context.Context, n int) ([]byte, error)
	LetGo(ctx context.Context, n int, line []byte, force bool) error
	Drop(ctx context.Context, n int) error
	Answer(ctx context.Context, n int, body []byte) error
	Drive(ctx context.Context, method string, params json.RawMessage) (id string, err error)
	TakeOver(ctx context.Context, id, body []byte) error
	Cancel(ctx context.Context, id []byte) error
	Restart(ctx context.Context) (string, error)
	Stop(ctx context.Context) error
}

// A Tap is the running tap whose recording a workspace shows.
type Tap struct {
	Link TapLink // nil if the tap can only be watched
	Why  string  // the reason for that
	// Give gives an order to a tap without a Link that takes some: "restart" or "stop".
	Give   func(ctx context.Context, order string) (string, error)
	Attach bool             // steer from the start
	Now    func() time.Time // nil means time.Now

	State control.State // as of the latest Pull
	Over  bool          // the tap has ended, or the connection is lost

	sending int             // requests of this program whose id is not known yet
	driven  map[string]bool // ids of requests of this program without a row yet
	own     map[string]int  // rows of requests that no client sent, by id
	mine    map[int]bool    // rows of requests of this program
	held    map[int]int     // rows of held messages, by their numbers
	tried   map[int]int     // how many events were searched for those without a row
}

// Pull takes in the news of the tap, and reports whether there are any.
func (t *Tap) Pull() {
	if t.Link == nil {
		return
	}
	t.State = t.Link.State()
	select {
	case <-t.Link.Done():
		t.Link, t.Give, t.Over, t.Why, t.State = nil, nil, true, "the tap has ended", control.State{}
	default:
	}
}

// Steers reports whether this program steers.
func (t *Tap) Steers() bool { return t.Link != nil && t.Link.Steers() }

// Steerer returns the process that steers, if it is another one, or 0.
func (t *Tap) Steerer() int {
	if t.Steers() || t.State.Steerer == os.Getpid() {
		return 0
	}
	return t.State.Steerer
}

// Waited returns for how long a message has been held.
func (t *Tap) Waited(h *control.Held) time.Duration {
	now := time.Now
	if t.Now != nil {
		now = t.Now
	}
	return max(now().Sub(h.Since), 0)
}

// Client returns the name of the client.
func (t *Tap) Client() string {
	if t.State.Client == "" {
		return "the client"
	}
	return t.State.Client
}

// Mine reports whether the request at a row is one of this program in the session of a
// client.
func (t *Tap) Mine(number int) bool { return t != nil && t.mine[number] }

// Drives notes that a request of this program is about to be sent into the session of a
// client.
func (t *Tap) Drives() { t.sending++ }

// Drove records the id of that request, "" if it was not sent.
func Drove(w *Workspace, id string) {
	t := w.Tap
	t.sending--
	number, known := t.own[id]
	switch {
	case known:
		claim(w, id, number)
	case id != "":
		if t.driven == nil {
			t.driven = map[string]bool{}
		}
		t.driven[id] = true
	}
	if t.sending == 0 {
		t.own = nil
	}
}

// claim records the row of a request of this program.
func claim(w *Workspace, id string, number int) {
	delete(w.Tap.driven, id)
	if w.Tap.mine == nil {
		w.Tap.mine = map[int]bool{}
	}
	w.Tap.mine[number] = true
	w.sent = number + 1
}

// WatchTap makes the index report the requests of this program.
func WatchTap(w *Workspace) {
	w.Shown.Index.notice = func(number uint32, row *session.Row) {
		t := w.Tap
		if row.Kind != session.KindStdin || row.Msg != framing.Request || t.sending == 0 && len(t.driven) == 0 {
			return
		}
		e, err := w.Shown.Source.Entry(*row, InlineLimit)
		if err != nil || e.Seq != 0 { // of the client
			return
		}
		id := string(e.Msg.ID.Of(e.Payload))
		if t.driven[id] {
			claim(w, id, int(number))
			return
		}
		if t.own == nil {
			t.own = map[string]int{}
		}
		t.own[id] = int(number)
	}
}

// HeldAt returns the held message at a row.
func (t *Tap) HeldAt(number int) (h *control.Held, ok bool) {
	if t == nil {
		return nil, false
	}
	for i := range t.State.Held {
		h := &t.State.Held[i]
		if at, placed := t.held[h.N]; placed && at == number {
			return h, true
		}
	}
	return nil, false
}

// PlaceHeld lists the rows of held messages, as long as they are held, and reports whether
// the list has changed. A message of the client has no other row before it is let go.
func PlaceHeld(w *Workspace) (changed bool) {
	t := w.Tap
	if len(t.State.Held) == 0 && len(t.held) == 0 {
		return false
	}
	before, tried := t.held, map[int]int{}
	t.held = make(map[int]int, len(t.State.Held))
	for i := range t.State.Held {
		h := &t.State.Held[i]
		at, known := before[h.N]
		if !known {
			if n, ok := t.tried[h.N]; ok && n == len(w.Shown.Index.Events) {
				tried[h.N] = n
				continue
			}
			if at, known = findHeld(w, h); !known {
				tried[h.N] = len(w.Shown.Index.Events)
				continue // its entry comes later
			}
			w.Shown.Index.Exchanges.List.Insert(at)
			changed = true
		}
		t.held[h.N] = at
	}
	t.tried = tried
	for n, at := range before {
		row, _ := w.Shown.Rows.At(at)
		if _, still := t.held[n]; !still && row.Kind == session.KindFromClient {
			w.Shown.Index.Exchanges.List.Remove(at)
			changed = true
		}
	}
	return changed
}

// Unplace forgets the rows of held messages, and renumbers those of requests of this
// program, before another projection is shown.
func Unplace(w *Workspace, moved Renumber) {
	t := w.Tap
	for _, at := range t.held {
		if row, ok := w.Shown.Rows.At(at); ok && row.Kind == session.KindFromClient {
			w.Shown.Index.Exchanges.List.Remove(at)
		}
	}
	t.held, t.tried = nil, nil
	if moved == nil {
		return
	}
	mine := make(map[int]bool, len(t.mine))
	for at := range t.mine {
		mine[moved(at)] = true
	}
	t.mine, t.own = mine, nil
}

// findHeld finds the row of a held message: of one to the server, its own entry, and of one
// from the server, that of its exchange.
func findHeld(w *Workspace, h *control.Held) (number int, ok bool) {
	const latest = 256
	events := w.Shown.Index.Events
	kind := session.KindToClient
	if h.ToServer {
		kind = session.KindFromClient
	}
	for i := len(events) - 1; i >= max(len(events)-latest, 0); i-- {
		at := int(events[i])
		row, _ := w.Shown.Rows.At(at)
		if row.Kind != kind {
			continue
		}
		var body session.ClientBody
		e, err := w.Shown.Source.Entry(row, 0)
		if err != nil || e.DecodeBody(&body) != nil || body.Why != "held" || !bytes.HasPrefix(body.Line(), h.Line) {
			continue
		}
		if !h.ToServer { // several messages may share the row of their exchange
			return w.Shown.Index.Exchanges.Of(at - 1), true
		}
		taken := false
		for _, other := range w.Tap.held {
			taken = taken || other == at
		}
		if !taken {
			return at, true
		}
	}
	return 0, false
}

// HeldText describes how long a message has been held, and the limit of the one that waits
// for it. Late means that little of that time is left.
func (t *Tap) HeldText(h *control.Held, separator string) (text string, late bool) {
	const lateFrom = 0.8 // of the limit
	waited := t.Waited(h)
	text = "held " + wording.Took(waited.Truncate(time.Second).Microseconds())
	if waited < 10*time.Minute {
		text = fmt.Sprintf("held %d s", int(waited.Seconds()))
	}
	clientWaits := h.ToServer && h.Method != "" && len(h.ID) > 0 || !h.ToServer && h.Method == ""
	if clientWaits && !h.ToServer { // since it asked
		text = "waits" + strings.TrimPrefix(text, "held")
	}
	switch {
	case !clientWaits:
		return text, false
	case h.Limit == 0:
		return text + separator + "client timeout unknown", false
	}
	limit := wording.Time(h.Limit)
	if h.Limit < 2*time.Minute {
		limit = fmt.Sprintf("%d s", int(h.Limit.Seconds()))
	}
	return text + " of " + limit, waited.Seconds() >= lateFrom*h.Limit.Seconds()
}
