package tap

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session/mcp"
)

// changing are the capabilities whose lists can change.
var changing = []string{"tools", "prompts", "resources"}

// A hello is what a client and its server agreed on, as far as a new process needs it.
type hello struct {
	era         mcp.Era // of the last handshake that a server accepted
	id          []byte  // of the client's initialize
	line        []byte  // the accepted initialize
	initialized []byte  // the line that ends the handshake, if the client has sent it
	first       facts   // of the result that the client got
	declared    []string
	client      implementation
	meta        []byte // the version and capabilities that a modern client repeats

	level   update             // the accepted logging/setLevel
	updates map[string]*update // accepted subscriptions by URI
	n       int

	pending  key  // the client's own initialize that the new process has to answer
	replayed bool // the new process has accepted initialize
	awaited  int  // responses to what gives the state back
}

// An update is a request that a server accepted, and that a new process gets again.
type update struct {
	n        int
	id, line []byte
}

// facts are the members of the result of a handshake.
type facts map[string][]byte

var factNames = []string{"protocolVersion", "capabilities", "serverInfo", "instructions"}

func factsOf(el *element) facts {
	f := facts{}
	for _, name := range factNames {
		f[name] = bytes.Clone(el.find(el.Result, name).Of(el.data))
	}
	return f
}

func (h *hello) accepted() bool { return h.era != mcp.Auto }

// legacy reports whether a new process gets the handshake of the client.
func (h *hello) legacy() bool { return h.era == mcp.Legacy && h.line != nil }

// began takes an initialize that is sent.
func (h *hello) began(el *element) {
	h.id, h.initialized = bytes.Clone(el.id()), nil
	h.client = readName(el.param("clientInfo"))
}

// accept takes the result of a handshake, and reports whether it changed it.
func (h *hello) accept(c *call, el *element) (changed bool) {
	h.first = factsOf(el)
	if c.method == mcp.MethodDiscover {
		h.era = mcp.Modern
	} else {
		h.era, h.line, h.id, h.level = mcp.Legacy, c.line, c.id, update{}
		clear(h.updates)
	}
	return h.declareChanges(el)
}

// modern takes what a request of a modern client says about the client.
func (h *hello) modern(el *element) {
	var members []member
	for _, name := range []string{mcp.MetaProtocolVersion, mcp.MetaClientInfo, mcp.MetaClientCapabilities} {
		members = append(members, member{name, el.param("_meta", name)})
	}
	if len(members[0].value) > 0 {
		h.meta, h.client = object(members...), readName(members[1].value)
	}
}

// subscribed takes an accepted subscription, and reports whether it was kept.
func (h *hello) subscribed(c *call) bool {
	if c.method == mcp.MethodUnsubscribe || c.line == nil {
		delete(h.updates, c.uri)
		return true
	}
	if len(h.updates) >= maxUpdates && h.updates[c.uri] == nil {
		return false
	}
	h.n++
	h.updates[c.uri] = &update{h.n, c.id, c.line}
	return true
}

// has reports whether the client may know a capability of the server.
func (h *hello) has(capability string) bool {
	capabilities := h.first["capabilities"]
	if capabilities == nil {
		return !h.legacy()
	}
	return framing.Member(capabilities, capability) != framing.Span{}
}

// declareChanges adds listChanged to the capabilities of a result, since most clients
// ignore list_changed without it, and reports whether it did.
func (h *hello) declareChanges(el *element) (changed bool) {
	for _, capability := range changing {
		at := el.find(el.Result, "capabilities", capability)
		object := at.Of(el.data)
		if len(object) == 0 || object[0] != '{' {
			continue
		}
		declared := el.find(at, "listChanged")
		switch string(declared.Of(el.data)) {
		case "false":
			el.replace(declared, "true")
		case "":
			el.insert(at, `"listChanged":true`)
		default:
			continue
		}
		if changed = true; !slices.Contains(h.declared, capability) {
			h.declared = append(h.declared, capability)
		}
	}
	return changed
}

// replay sends a line of the client to a new process and withholds the response. The
// process has never seen the id, unless the client uses one for several requests.
func (r *relay) replay(u update, done func(*element)) {
	if r.own.open[keyOf(u.id)].done != nil {
		line := readUnit(u.line)
		u.id = r.ownID()
		line.elements[0].replace(line.elements[0].ID, string(u.id))
		u.line = line.text()
	}
	r.own.open[keyOf(u.id)] = ownRequest{why: whyRestart, done: done}
	r.send(serverSide, u.line, whyRestart)
}

func (r *relay) replayHandshake() {
	r.replay(update{id: r.hello.id, line: r.hello.line}, func(el *element) {
		if el.Kind != framing.Response {
			r.refused("initialize failed: " + el.errorText())
			return
		}
		r.acts = append(r.acts, r.hello.changes(el)...)
		r.replayState()
	})
}

// changes returns notes about differences to the handshake that the client knows.
func (h *hello) changes(el *element) (notes []act) {
	now := factsOf(el)
	for _, name := range factNames {
		if !sameJSON(h.first[name], now[name]) {
			notes = append(notes, act{note: "changed by the restart: " + name + " (the client knows the old one)", red: name == "protocolVersion"})
		}
	}
	return notes
}

func sameJSON(a, b []byte) bool {
	var x, y any
	if bytes.Equal(a, b) {
		return true
	}
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// replayState goes on after the process has accepted initialize: some servers register
// tools only once they get initialized after their response.
func (r *relay) replayState() {
	h := &r.hello
	h.replayed, h.awaited = true, 0
	var again []update
	if h.initialized != nil {
		r.send(serverSide, h.initialized, whyRestart)
		r.listsChanged(nil)
	}
	if h.level.line != nil {
		again = append(again, h.level)
	}
	for _, u := range slices.SortedFunc(maps.Values(h.updates), func(a, b *update) int { return a.n - b.n }) {
		again = append(again, *u)
	}
	for _, u := range again {
		h.awaited++
		r.replay(u, func(el *element) {
			if text := el.errorText(); text != "" {
				r.note("a request that gives the state back failed: " + text)
			}
			if h.awaited--; h.awaited == 0 && r.state == replaying {
				r.finish()
			}
		})
	}
	if h.awaited == 0 {
		r.finish()
	}
}

// listsChanged notifies the client of the lists that the server had in the handshake that
// the client knows: all, or those of some methods.
func (r *relay) listsChanged(only []string) {
	for _, capability := range changing {
		method := "notifications/" + capability + "/list_changed"
		if only != nil && !slices.Contains(only, method) || !r.hello.has(capability) {
			continue
		}
		if r.hello.legacy() {
			r.send(clientSide, noticeLine(method, nil), whyRestart)
			continue
		}
		for _, c := range r.calls.sorted() {
			if c.listen != nil && c.listen.acknowledged && c.listen.lists[capability] {
				r.send(clientSide, noticeLine(method, c.listen.meta(c.id)), whyRestart)
			}
		}
	}
}

// An ownTable has requests of our own, and lines of the client sent to a new process:
// their responses are withheld.
type ownTable struct {
	open map[key]ownRequest
	n    int
}

type ownRequest struct {
	why    string
	done   func(*element)
	driven bool // by a person
	token  key  // of its progress
}

// ask sends a request of our own, and returns its id.
func (r *relay) ask(method string, params []byte, done func(*element)) []byte {
	id := r.ownID()
	r.own.open[keyOf(id)] = ownRequest{why: whyOwn, done: done}
	r.send(serverSide, requestLine(id, method, params), whyOwn)
	return id
}

// A look compares the lists after a restart with those a moment later.
type look struct {
	due    time.Time
	before map[string][sha256.Size]byte
}

// lookFirst asks for the lists.
func (r *relay) lookFirst() {
	if r.hello.legacy() && r.hello.initialized == nil || !r.hello.legacy() && r.hello.meta == nil {
		return
	}
	r.look = look{due: r.now.Add(secondLook), before: map[string][sha256.Size]byte{}}
	before := r.look.before
	r.askLists(func(list mcp.List, el *element) {
		before[list.Method] = sha256.Sum256(el.find(el.Result, list.Member).Of(el.data))
		if list.Method != mcp.MethodToolsList {
			return
		}
		if names := r.schemas.changed(el); names != nil {
			r.note("other output schemas, and the client may check results against the old ones: " + wording.List(names))
		}
	})
}

// lookAgain asks for them once more, and notifies the client once of each kind that
// changed.
func (r *relay) lookAgain() {
	before, told := r.look.before, map[string]bool{}
	r.look = look{}
	r.askLists(func(list mcp.List, el *element) {
		was, ok := before[list.Method]
		if ok && !told[list.Changed] && was != sha256.Sum256(el.find(el.Result, list.Member).Of(el.data)) {
			told[list.Changed] = true
			r.listsChanged([]string{list.Changed})
		}
	})
}

// askLists asks for the first page of each list that the client knows of.
func (r *relay) askLists(take func(mcp.List, *element)) {
	var params []byte
	if !r.hello.legacy() {
		params = object(member{"_meta", r.hello.meta})
	}
	for _, list := range mcp.Lists {
		if !r.hello.has(strings.TrimSuffix(list.Capability(), ".listChanged")) || r.hello.first["capabilities"] == nil {
			continue
		}
		r.ask(list.Method, params, func(el *element) {
			if el.Kind == framing.Response {
				take(list, el)
			}
		})
	}
}
