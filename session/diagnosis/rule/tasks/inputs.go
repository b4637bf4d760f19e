package tasks

import (
	"hash/maphash"

	"github.com/go-json-experiment/json/jsontext"

	"mcpdbg/framing"
	"mcpdbg/session/diagnosis/message"
)

// Limits on the state for one process. Beyond them a key is not compared.
const (
	maxTasks   = 1 << 12
	maxKeys    = 1 << 8   // of one task
	maxRequest = 64 << 10 // size of an input request that is compared, in bytes
)

// inputs are the requests for input of the tasks of a process, by task and key.
type inputs struct {
	tasks map[string]map[string]*input
	full  bool // some are not known
}

type input struct {
	request uint64 // hash of it
	seenAt  int64  // when it was last among the requests of the task
	// delivered is set once the client sent a response, and gone once a state of the
	// task after that lacks the request.
	delivered, gone bool
	goneAt          int64
}

func (i *inputs) deliver(task, responses []byte) {
	known := i.tasks[message.Short(task)]
	if known == nil || !message.IsObject(responses) {
		return
	}
	for name := range framing.Members(responses) {
		if in := known[message.Short(name.Of(responses))]; in != nil {
			in.delivered = true
		}
	}
}

// compare notes the requests for input in a state of a task, which was valid at the
// time since or later and came at the time now. It describes the keys that the task
// used before for something else.
func (i *inputs) compare(task, requests []byte, since, now int64) (problems []string) {
	known := i.of(task, message.IsObject(requests))
	if known == nil {
		return nil
	}
	if message.IsObject(requests) {
		for name, value := range framing.Members(requests) {
			if detail := i.request(known, name.Of(requests), value.Of(requests), since, now); detail != "" {
				problems = append(problems, detail)
			}
		}
	}
	for _, in := range known {
		if in.delivered && !in.gone && in.seenAt < since { // otherwise the state may be older
			in.gone, in.goneAt = true, now
		}
	}
	return problems
}

// of returns the requests of a task. It adds the task if that is wanted.
func (i *inputs) of(task []byte, add bool) map[string]*input {
	id := message.Short(task)
	known := i.tasks[id]
	switch {
	case known != nil || !add || task == nil:
		return known
	case len(i.tasks) == maxTasks:
		i.full = true
		return nil
	case i.tasks == nil:
		i.tasks = make(map[string]map[string]*input)
	}
	known = make(map[string]*input)
	i.tasks[id] = known
	return known
}

// request notes a request for input and returns in what way its key was used before,
// "" if it was not.
func (i *inputs) request(known map[string]*input, name, value []byte, since, now int64) (detail string) {
	if len(value) > maxRequest {
		i.full = true
		return ""
	}
	key, sum := message.Short(name), hash(value)
	in := known[key]
	switch {
	case in == nil && len(known) == maxKeys:
		i.full = true
		return ""
	case in == nil:
		known[key] = &input{request: sum, seenAt: now}
		return ""
	case in.request != sum:
		detail = "key " + message.Excerpt(name) + " was that of another request before"
	case in.gone && in.goneAt < since:
		detail = "key " + message.Excerpt(name) + " was answered before, and gone"
	}
	if detail != "" {
		*in = input{request: sum}
	}
	in.seenAt = now
	return detail
}

var seed = maphash.MakeSeed()

// hash identifies a JSON value, in whatever order its members are.
func hash(value []byte) uint64 {
	canonical := jsontext.Value(append([]byte(nil), value...))
	if canonical.Canonicalize() != nil { // such as a duplicate member
		canonical = value
	}
	return maphash.Bytes(seed, canonical)
}
