package lifecycle

import (
	"bytes"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

// A round is a result that asks for input: the request is sent again with it.
type round struct {
	id, method, name string
	state            uint64 // hash of requestState, 0 without one
	keys             []string
}

type rounds struct {
	all  []round // ring
	next int
	full bool // some are not known
}

func (r *rounds) add(one round) {
	if len(r.all) < maxRounds {
		r.all = append(r.all, one)
		return
	}
	r.full = true
	r.all[r.next] = one
	r.next = (r.next + 1) % maxRounds
}

// find returns the last round of a request, and whether there is one with its state.
func (r *rounds) find(q *message.Request, state uint64) (last *round, same bool) {
	for i := range r.all {
		one := &r.all[(r.next+len(r.all)-1-i)%len(r.all)]
		if one.method != q.Method || one.name != q.Name {
			continue
		}
		if one.state == state {
			return one, true
		}
		if last == nil {
			last = one
		}
	}
	return last, false
}

func (c *Checker) inputRequired(m *message.Message, r *message.Request, result []byte) {
	where := about(r)
	switch r.Method {
	case mcp.MethodToolsCall, mcp.MethodPromptsGet, mcp.MethodReadResource:
	default:
		c.found(mod03, m.At, where, "the result of %s asks for input", message.Excerpt(r.Method))
		return
	}
	one := round{id: r.ID, method: r.Method, name: r.Name}
	requests, state := message.Member(result, "inputRequests"), message.Member(result, "requestState")
	if state != nil {
		one.state = hash(state)
	}
	if requests == nil && state == nil {
		c.found(mod04, m.At, where, "neither inputRequests nor requestState")
	}
	if message.IsObject(requests) {
		for name, value := range framing.Members(requests) {
			if len(one.keys) == maxKeys {
				break
			}
			at := message.Short([]byte(key(requests, name)))
			one.keys = append(one.keys, at)
			c.inputRequest(m, r, at, value.Of(requests))
		}
	}
	c.rounds.add(one)
}

// inputRequest checks one request for input, at a key of inputRequests.
func (c *Checker) inputRequest(m *message.Message, r *message.Request, at string, request []byte) {
	where := about(r)
	where.Pointer = "/inputRequests/*/method"
	where.At = "/inputRequests/" + wording.EscapePointer(at) + "/method"
	switch method := message.Text(message.Member(request, "method")); method {
	case "": // its shape is wrong
	case mcp.MethodSample, mcp.MethodElicit, mcp.MethodRoots:
		if missing := lacks(r.Client, method, message.Member(request, "params"), r.Revision); missing != "" {
			c.found(mod04, m.At, where, "the request did not declare %s", missing)
		}
	default:
		c.found(mod04, m.At, where, "%s is not a request for input", message.Excerpt(method))
	}
}

func (c *Checker) sentAgain(m *message.Message) {
	r, params := m.Request, m.Of(m.Params)
	if r.Method == methodTasksUpdate || !bytes.Contains(params, []byte(`"inputResponses"`)) && !bytes.Contains(params, []byte(`"requestState"`)) {
		return
	}
	responses, state := message.Member(params, "inputResponses"), message.Member(params, "requestState")
	if responses == nil && state == nil || c.rounds.full || !c.fromStart() {
		return
	}
	where, given := about(r), uint64(0)
	if state != nil {
		given = hash(state)
	}
	one, same := c.rounds.find(r, given)
	switch {
	case one == nil:
		c.found(mod05, m.At, where, "no result asked for the input")
	case !same && state == nil:
		c.found(mod05, m.At, where, "the requestState is missing")
	case !same && one.state == 0:
		c.found(mod05, m.At, where, "a requestState that no result has")
	case !same:
		c.found(mod05, m.At, where, "the requestState is not the one that was given")
	case one.id == r.ID:
		c.found(mod05, m.At, where, "sent with the same id %s", message.Excerpt(r.ID))
	default:
		c.complete(m, where, one, responses)
	}
}

// complete checks that every request for input has a response.
func (c *Checker) complete(m *message.Message, where diagnosis.Location, one *round, responses []byte) {
	for _, name := range one.keys {
		if message.Member(responses, name) == nil {
			c.found(mod05, m.At, where, "inputResponses has no %s", message.Excerpt(name))
			return
		}
	}
}
