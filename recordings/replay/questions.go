package replay

import (
	"bytes"
	"encoding/json"
	"slices"

	"mcpdbg/recordings/match"
	"mcpdbg/session"
)

// key is what a question of the server is known by.
func (p *Plan) key(method string, params []byte) []byte {
	key, _ := match.AppendKey(nil, method, params, p.opts.Rules) // params that can't be read are matched by their bytes
	return key
}

// cutKey tells the method of a key from the rest.
func cutKey(key []byte) (method string, params []byte, ok bool) {
	before, after, ok := bytes.Cut(key, []byte{'\n'})
	return string(before), after, ok
}

// refusal is the answer to what the recording has none to.
const refusal = `{"error":{"code":-32601,"message":"Method not found"}}`

// respond answers what the server asks, until stop is closed.
func (r *runner) respond(stop <-chan struct{}) {
	seen := map[uint64]bool{}
	for {
		changed := r.log.Changed()
		for _, ask := range r.s.Asks() {
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

// reply answers one question as it was answered in the recording: of equal ones
// the first answer that was not given yet. Without one it is left to a person,
// or refused.
func (r *runner) reply(ask session.Ask) {
	number, found := r.find(r.p.key(ask.Method, ask.Params))
	if !found {
		r.mu.Lock()
		r.res.Asked = append(r.res.Asked, Question{ask.N, ask.Method})
		r.progress(Event{Step: StepAsked, Item: -1, Live: ask.N, Method: ask.Method})
		r.mu.Unlock()
		if !r.p.opts.Person {
			_ = r.s.AnswerBy(ask.ID, json.RawMessage(refusal), session.ByReplay) // who took it back knows
		}
		return
	}
	r.mu.Lock()
	q := &r.questions[number]
	q.done = true
	if ask.Key == "" {
		r.res.answered = append(r.res.answered, ask.N)
	}
	q.live = bytes.Clone(match.Member(match.Member(ask.Params, "_meta"), "progressToken"))
	r.progress(Event{Step: StepAnswered, Item: -1, Live: ask.N, Method: ask.Method})
	r.mu.Unlock()
	if r.s.AnswerBy(ask.ID, r.p.questions[number].answer, session.ByReplay) != nil {
		_ = r.s.AnswerBy(ask.ID, json.RawMessage(refusal), session.ByReplay) // an answer that is no object can't be given
	}
	close(q.asked)
}

// find is the first recorded question of a key whose answer was not given yet.
func (r *runner) find(key []byte) (int, bool) {
	if !r.redacted {
		hash := match.Hash(key)
		for k, i := range r.byKey[hash] {
			if bytes.Equal(r.p.questions[i].key, key) {
				r.byKey[hash] = slices.Delete(r.byKey[hash], k, k+1)
				return i, true
			}
		}
		return 0, false
	}
	for i := range r.p.questions {
		q := &r.p.questions[i]
		if q.answer != nil && !r.questions[i].done && match.Equal(q.key, key) {
			return i, true
		}
	}
	return 0, false
}
