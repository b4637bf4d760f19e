package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/session/executor"
)

// maxInputRounds is how often one request is re-sent without input from a person: it
// stops a server that never has enough.
const maxInputRounds = 8

type inputRequired struct {
	ResultType   string                  `json:"resultType"`
	Requests     map[string]inputRequest `json:"inputRequests"`
	RequestState json.RawMessage         `json:"requestState"`
}

type inputRequest struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

func asksForInput(result json.RawMessage) (inputRequired, bool) {
	const resultType = "input_required"
	if !bytes.Contains(result, []byte(resultType)) {
		return inputRequired{}, false
	}
	var ask inputRequired
	if json.Unmarshal(framing.Pick(result, "resultType", "inputRequests", "requestState"), &ask) != nil || ask.ResultType != resultType {
		return inputRequired{}, false
	}
	return ask, len(ask.Requests) > 0 || ask.RequestState != nil
}

func (ask inputRequired) again(params json.RawMessage, answers map[string]json.RawMessage) (json.RawMessage, error) {
	more := map[string]json.RawMessage{}
	if len(answers) > 0 {
		responses, err := json.Marshal(answers)
		if err != nil {
			return nil, fmt.Errorf("inputResponses: %w", err)
		}
		more["inputResponses"] = responses
	}
	if ask.RequestState != nil {
		more["requestState"] = ask.RequestState
	}
	return withMembers(params, more)
}

// rounds re-sends a request while its result asks for input and all of it is provided. It
// returns the last response.
func (r *run) rounds(ctx context.Context, q request, resp Response) (Response, error) {
	for unasked := 0; ; {
		ask, ok := asksForInput(resp.Result)
		if !ok {
			return resp, nil
		}
		if unasked == maxInputRounds {
			r.s.Note(fmt.Sprintf("%s asked for input %d times in a row: not re-sent", q.method, maxInputRounds), "")
			return resp, nil
		}
		g := r.gather(ctx, resp.N, q.first, ask.Requests)
		answers, err := g.wait(ctx)
		switch {
		case err != nil:
			return Response{}, err
		case g.refused != "":
			r.s.Note(fmt.Sprintf("%s not re-sent: %s is refused", q.method, g.refused), "")
			return resp, nil
		case g.asked:
			unasked = 0
		default:
			unasked++
		}
		next := q
		if next.params, err = ask.again(q.params, answers); err != nil {
			return Response{}, err
		}
		if resp, _, err = r.request(ctx, next); err != nil {
			return Response{}, err
		}
	}
}

// A gathering is one round: the answers to all input requests of one result.
type gathering struct {
	s       *Session
	r       *run
	of      uint64 // entry of the result
	open    int    // still to come
	asked   bool   // a person
	refused string // the method that got an error, or ""
	answers map[string]json.RawMessage
	come    chan keyAnswer // buffered for all
}

type keyAnswer struct {
	key, method string
	answer      json.RawMessage // nil: dropped with the process
}

// gather answers the input requests that policies answer at once; the rest are then
// pending.
func (r *run) gather(ctx context.Context, of, parent uint64, requests map[string]inputRequest) *gathering {
	g := &gathering{s: r.s, r: r, of: of, answers: make(map[string]json.RawMessage, len(requests)), come: make(chan keyAnswer, len(requests))}
	var later []*pendingRequest
	var rules []Policy
	for _, key := range slices.Sorted(maps.Keys(requests)) {
		request := requests[key]
		p := r.s.requests.policy(request.Method)
		a := &pendingRequest{
			ServerRequest: ServerRequest{N: of, Method: request.Method, Params: request.Params, Key: key, Parent: parent}, r: r, round: g,
			drop: func() { g.come <- keyAnswer{key: key, method: request.Method} },
		}
		a.settle = func(answer json.RawMessage, by string) {
			if p.mode() != PolicyRefuse || by != ByPolicy {
				r.s.append(NewEntry(KindAct, 0, *answerAct(of, request.Method, key, p.mode(), by)))
			}
			g.come <- keyAnswer{key, request.Method, answer}
		}
		g.open++
		if p.mode() != PolicyAsk && p.Delay == 0 {
			answer := r.s.requests.automatic(p, a.ServerRequest)
			a.settle(answer, ByPolicy)
			if errorOf(answer) != nil {
				return g // the rest is not needed
			}
			continue
		}
		later, rules = append(later, a), append(rules, p)
	}
	for i, a := range later {
		if rules[i].mode() == PolicyAsk {
			g.asked = true
			if !rules[i].ByProgram {
				a.resume = []func(){executor.Pause(ctx)}
			}
		}
		r.s.requests.open(a, rules[i])
	}
	return g
}

// wait returns the answers when all are there or when one is an error. When it
// returns, no request of the round is pending.
func (g *gathering) wait(ctx context.Context) (map[string]json.RawMessage, error) {
	defer g.s.requests.withdraw(func(a *pendingRequest) bool { return a.round == g }, "the call is over")
	for ; g.open > 0 && g.refused == ""; g.open-- {
		select {
		case k := <-g.come:
			switch {
			case k.answer == nil:
				return nil, g.r.endError()
			case errorOf(k.answer) != nil:
				g.refused = k.method
			}
			g.answers[k.key] = k.answer
		case <-g.r.done:
			return nil, g.r.endError()
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return g.answers, nil
}
