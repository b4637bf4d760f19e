package replay

import (
	"bytes"
	"encoding/json"
	"slices"

	"mcpdbg/recordings/match"
	"mcpdbg/session"
)

func (p *Plan) key(method string, params []byte) []byte {
	key, _ := match.AppendKey(nil, method, params, p.opts.Rules) // params that can't be read are matched by their bytes
	return key
}

func cutKey(key []byte) (method string, params []byte, ok bool) {
	before, after, ok := bytes.Cut(key, []byte{'\n'})
	return string(before), after, ok
}

// refusal answers a server request without a recorded response.
const refusal = `{"error":{"code":-32601,"message":"Method not found"}}`

func (r *runner) respond(stop <-chan struct{}) {
	seen := map[uint64]bool{}
	for {
		changed := r.log.Changed()
		for _, ask := range r.s.ServerRequests() {
			if !seen[ask.ID] {
				seen[ask.ID] = true
				r.reply(ask)
			}
		}
		select {
		case <-changed:
		case <-stop:
			return
		}
	}
}

// reply sends the recorded response: for equal requests the first one that was not used
// yet. A request without one is left to a person or refused.
func (r *runner) reply(ask session.ServerRequest) {
	number, found := r.find(r.p.key(ask.Method, ask.Params))
	if !found {
		r.mu.Lock()
		r.res.NewServerRequests = append(r.res.NewServerRequests, ServerRequest{ask.N, ask.Method})
		r.progress(Event{Step: StepAsked, Item: -1, Live: ask.N, Method: ask.Method})
		r.mu.Unlock()
		if !r.p.opts.Interactive {
			_ = r.s.AnswerBy(ask.ID, json.RawMessage(refusal), session.ByReplay) // fails only if it was cancelled
		}
		return
	}
	r.mu.Lock()
	q := &r.serverRequests[number]
	q.done = true
	if ask.Key == "" {
		r.res.answered = append(r.res.answered, ask.N)
	}
	q.live = bytes.Clone(match.Member(match.Member(ask.Params, "_meta"), "progressToken"))
	r.progress(Event{Step: StepAnswered, Item: -1, Live: ask.N, Method: ask.Method})
	r.mu.Unlock()
	if r.s.AnswerBy(ask.ID, r.p.serverRequests[number].response, session.ByReplay) != nil {
		_ = r.s.AnswerBy(ask.ID, json.RawMessage(refusal), session.ByReplay) // a response that is not an object can't be sent
	}
	close(q.asked)
}

// find returns the first request with a key whose response was not used yet.
func (r *runner) find(key []byte) (int, bool) {
	if !r.redacted {
		hash := match.Hash(key)
		for k, i := range r.byKey[hash] {
			if bytes.Equal(r.p.serverRequests[i].key, key) {
				r.byKey[hash] = slices.Delete(r.byKey[hash], k, k+1)
				return i, true
			}
		}
		return 0, false
	}
	for i := range r.p.serverRequests {
		q := &r.p.serverRequests[i]
		if q.response != nil && !r.serverRequests[i].done && match.Equal(q.key, key) {
			return i, true
		}
	}
	return 0, false
}
