package tap

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// A listen is a subscriptions/listen of a modern client: a stream that stays open over
// restarts, since no client opens it again.
type listen struct {
	asked        map[string]bool // lists, by capability
	lists        map[string]bool // of the acknowledgement that the client got
	uris         [][]byte        // of resources, as the client wrote them
	acknowledged bool
	reopened     bool // by us: the client has seen the acknowledgement
	ours         bool // the server does not know the stream
}

func newListen(el *element) *listen {
	l := &listen{asked: map[string]bool{}, lists: map[string]bool{}}
	for _, capability := range changing {
		l.asked[capability] = string(el.param("notifications", capability+"ListChanged")) == "true"
	}
	uris := el.param("notifications", "resourceSubscriptions")
	for span := range framing.Elements(uris) {
		if len(l.uris) < maxUpdates && uris[span.Start] == '"' {
			l.uris = append(l.uris, bytes.Clone(span.Of(uris)))
		}
	}
	return l
}

// meta returns params for a notification on the stream of a request.
func (l *listen) meta(id []byte, members ...member) []byte {
	return object(append(members, member{"_meta", object(member{mcp.MetaSubscriptionID, id})})...)
}

// reopen opens the streams of the client again, under their own ids, and tells it that
// everything may have changed.
func (r *relay) reopen() {
	streams := slices.DeleteFunc(r.calls.sorted(), func(c *call) bool { return c.listen == nil || c.line == nil })
	for _, c := range streams {
		c.listen.reopened, c.listen.ours = c.listen.acknowledged, false
		r.send(serverSide, c.line, whyRestart)
	}
	r.listsChanged(nil)
	for _, c := range streams {
		for _, uri := range c.listen.uris {
			if c.listen.acknowledged {
				r.send(clientSide, noticeLine(mcp.MethodResourceUpdated, c.listen.meta(c.id, member{"uri", uri})), whyRestart)
			}
		}
	}
	if r.process > 1 && r.hello.era == mcp.Modern && r.hello.meta != nil {
		r.ask(mcp.MethodDiscover, object(member{"_meta", r.hello.meta}), func(el *element) {
			if el.Kind == framing.Response {
				r.acts = append(r.acts, r.hello.changes(el)...)
			}
		})
	}
}

// acknowledged takes the acknowledgement of a stream, and returns the reason why the
// client does not get it. It is completed by the lists that only we declared.
func (r *relay) acknowledged(el *element) string {
	c := r.calls.open[keyOf(el.param("_meta", mcp.MetaSubscriptionID))]
	if c == nil && r.process > 1 && r.calls.untracked == 0 { // the client has cancelled it
		return whyWithheld
	}
	if c == nil || c.listen == nil {
		return ""
	}
	l := c.listen
	if l.reopened {
		l.reopened = false
		return whyRestart
	}
	l.acknowledged = true
	at := el.find(el.Params, "notifications")
	object, missing := at.Of(el.data), ""
	for _, capability := range changing {
		name := capability + "ListChanged"
		granted := el.find(at, name)
		switch text := string(granted.Of(el.data)); {
		case text == "true":
			l.lists[capability] = true
		case !l.asked[capability] || !slices.Contains(r.hello.declared, capability) || len(object) == 0 || object[0] != '{':
		case text == "":
			l.lists[capability] = true
			missing += strconv.Quote(name) + ":true,"
		default:
			l.lists[capability] = true
			el.replace(granted, "true")
		}
	}
	if missing != "" {
		el.insert(at, strings.TrimSuffix(missing, ","))
	}
	return ""
}

// listenEnded takes the response that ends a stream, and returns the reason why the client
// does not get it: TypeScript and Go clients never open a stream again.
func (r *relay) listenEnded(c *call, el *element) string {
	l := c.listen
	switch {
	case l.acknowledged && l.reopened:
		r.note("the restarted server does not keep a subscription: " + el.errorText())
	case !l.acknowledged && l.only(r.hello.declared) && string(el.find(el.Error, "code").Of(el.data)) == strconv.Itoa(mcp.CodeMethodNotFound):
		l.acknowledged = true
		var members []member
		for _, capability := range changing {
			if l.asked[capability] {
				l.lists[capability] = true
				members = append(members, member{capability + "ListChanged", []byte("true")})
			}
		}
		id := c.id
		r.later(func() {
			r.send(clientSide, noticeLine(mcp.MethodAcknowledged, l.meta(id, member{"notifications", object(members...)})), whyOwn)
		})
	default:
		return ""
	}
	l.ours, l.reopened = true, false
	r.calls.open[keyOf(c.id)] = c
	r.calls.kept += len(c.line)
	return whyWithheld
}

// only reports whether a client listens only to some lists.
func (l *listen) only(lists []string) bool {
	some := false
	for capability, asked := range l.asked {
		if asked && !slices.Contains(lists, capability) {
			return false
		}
		some = some || asked
	}
	return some && len(l.uris) == 0
}

// A schemaTable has the output schemas of tools as the client knows them: it may check
// results against them.
type schemaTable map[string][sha256.Size]byte

func schemasOf(el *element) schemaTable {
	t := schemaTable{}
	tools := el.find(el.Result, "tools")
	text := tools.Of(el.data)
	for span := range framing.Elements(text) {
		tool := span.Of(text)
		name := framing.Member(tool, "name")
		if schema := framing.Member(tool, "outputSchema"); name != (framing.Span{}) {
			t[string(framing.IDValue(name.Of(tool)))] = sha256.Sum256(schema.Of(tool))
		}
	}
	return t
}

// learn takes a tools/list that the client gets.
func (t schemaTable) learn(el *element) {
	for name, schema := range schemasOf(el) {
		if _, ok := t[name]; ok || len(t) < maxSchemas {
			t[name] = schema
		}
	}
}

// changed returns the tools whose results a client may refuse after it got an earlier
// list.
func (t schemaTable) changed(el *element) (names []string) {
	for name, schema := range schemasOf(el) {
		if was, ok := t[name]; ok && was != schema {
			names = append(names, quotable(strings.Trim(name, `"`), 100))
		}
	}
	slices.Sort(names)
	return names
}
