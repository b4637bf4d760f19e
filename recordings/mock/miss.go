package mock

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/recordings/match"
	"mcpdbg/session/summary"
)

// CodeMiss is the code of the error response to a request that was not recorded. Its
// data has the member closest or, if nothing of the method was recorded, the member
// recorded with the recorded methods.
const CodeMiss = -32010

const (
	closestCandidates = 256
	closestBytes      = 256 << 10
	shownMethods      = 64
	searchedRequests  = 4096
	searchedBytes     = 16 << 20
	shownOthers       = 6
	shownBytes        = 60 // of arguments
)

// A closestMatch is the recorded request that is closest to an unrecorded one.
type closestMatch struct {
	Method  string   `json:"method"`
	N       uint64   `json:"n"`             // of its entry
	Seq     uint64   `json:"seq,omitempty"` // of its response's entry
	Differs []string `json:"differs"`       // pointers to the differences in its params; at most 32
}

// missed is the data of an error with CodeMiss.
type missed struct {
	Closest  *closestMatch `json:"closest,omitempty"`
	Recorded []string      `json:"recorded,omitempty"`
}

func (s *Server) miss(id []byte, method string, params []byte, at found, why error) {
	s.report.Misses++
	called, arguments := inShort(method, fmt.Appendf(nil, `{"params":%s}`, cmp.Or(string(params), "{}")))
	text := fmt.Sprintf("%s %v", wording.Join(" ", method, called, arguments), why)
	var data missed
	switch {
	case errors.Is(why, errOrder):
		data.Closest = s.rows.closestOf([]uint32{uint32(at.row)}, params)
	case s.table.of(method) != nil:
		same, others := s.rows.recorded(s.table.of(method).requests, called)
		if errors.Is(why, errNotRecorded) {
			text += others
		}
		data.Closest = s.rows.closestOf(same, params)
	}
	if data.Closest != nil {
		text += "; " + data.Closest.String()
	} else if data.Recorded = s.table.methods(); data.Recorded != nil {
		text += "; recorded methods: " + strings.Join(data.Recorded, ", ")
	}
	s.opts.Warn(text)
	if s.opts.Forward != nil {
		s.forward(id, method, params)
		return
	}
	s.fail(id, CodeMiss, text, data)
}

// inShort returns what a request calls, such as its tool, and its arguments.
func inShort(method string, msg []byte) (called, arguments string) {
	return summary.Call(method, msg), wording.ClipValid(summary.Request(method, msg), shownBytes, wording.Dots)
}

// recorded returns those requests of a method that call the same, or all if none does,
// and lists the recorded arguments, or else the recorded tools.
func (r *rows) recorded(requests []uint32, called string) (same []uint32, list string) {
	var arguments, names []string
	left, cut := searchedBytes, len(requests) > searchedRequests
	note := func(to *[]string, text string) {
		if text != "" && !slices.Contains(*to, text) && len(*to) <= shownOthers {
			*to = append(*to, text)
		}
	}
	for _, at := range requests[:min(len(requests), searchedRequests)] {
		row, _ := r.row(int(at))
		if row.Len > closestBytes || int(row.Len) > left {
			cut = true
			continue
		}
		left -= int(row.Len)
		e, err := r.look(row)
		if err != nil {
			continue
		}
		name, args := inShort(r.method(row), e.Payload)
		note(&names, name)
		if name == called {
			same = append(same, at)
			note(&arguments, cmp.Or(args, "no arguments"))
		}
	}
	if same == nil {
		same, arguments = requests, names
	}
	switch {
	case len(arguments) > shownOthers:
		arguments[shownOthers] = "..."
	case cut && len(arguments) > 0:
		arguments = append(arguments, "...")
	}
	if len(arguments) > 0 {
		list = "; recorded: " + strings.Join(arguments, ", ")
	}
	return same, list
}

// String describes the closest request.
func (c *closestMatch) String() string {
	text := fmt.Sprintf("the closest recorded request is entry %d", c.N)
	if c.Seq > 0 {
		text += fmt.Sprintf(", answered with seq %d", c.Seq)
	}
	switch {
	case len(c.Differs) == 0:
		return text + ", which is equal"
	case slices.Equal(c.Differs, []string{""}):
		return text + ", which differs as a whole"
	}
	return text + ", which differs at " + strings.Join(c.Differs, " ")
}

// closestOf finds the recorded request that differs in the fewest places.
func (r *rows) closestOf(requests []uint32, params []byte) *closestMatch {
	var best *closestMatch
	for _, at := range requests[:min(len(requests), closestCandidates)] {
		row, _ := r.row(int(at))
		if row.Len > closestBytes || len(params) > closestBytes {
			continue
		}
		e, err := r.look(row)
		if err != nil {
			continue
		}
		differs := match.Differences(params, e.Msg.Params.Of(e.Payload))
		if best != nil && len(best.Differs) <= len(differs) {
			continue
		}
		best = &closestMatch{Method: r.method(row), N: e.N, Differs: differs}
		if response, ok := r.partner(row); ok {
			if e, err := r.src.Entry(response, 1); err == nil {
				best.Seq = e.Seq
			}
		}
	}
	return best
}

// methods lists the recorded request methods in the rows read so far.
func (t *table) methods() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(t.sent)) {
		if len(t.sent[name].requests) > 0 && len(names) < shownMethods {
			names = append(names, name)
		}
	}
	return names
}

func (s *Server) fail(id []byte, code int, message string, data any) {
	failure := struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    any    `json:"data,omitempty"`
	}{code, strings.ToValidUTF8(message, "\uFFFD"), data}
	b, err := json.Marshal(failure)
	if err != nil { // can't happen: data has only strings and numbers
		panic(fmt.Sprintf("mock: encode an error: %v", err))
	}
	s.respond(id, "error", b)
}

func (s *Server) result(id, result []byte) { s.respond(id, "result", result) }

func (s *Server) respond(id []byte, name string, value []byte) {
	s.out.raw(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%q:%s}`+"\n", id, name, value))
}

// forward lets Options.Ask answer a request that was not recorded.
func (s *Server) forward(id []byte, method string, params []byte) {
	id, params = slices.Clone(id), slices.Clone(params)
	ctx := s.ctx
	s.calling++
	s.calls.Go(func() {
		result, failure, err := s.opts.Forward(ctx, method, params)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.calling--
		s.forwarded(id, method, result, failure, err)
		s.flush()
		s.settle()
	})
}

func (s *Server) forwarded(id []byte, method string, result, failure []byte, err error) {
	switch {
	case s.over(): // there is no client any more
	case err != nil:
		s.opts.Warn(fmt.Sprintf("%s failed on the real server: %v", method, err))
		s.fail(id, CodeMiss, fmt.Sprintf("%s was not recorded, and failed on the real server: %v", method, err), nil)
	case failure != nil:
		s.report.Forwarded++
		s.respond(id, "error", failure)
	default:
		s.report.Forwarded++
		s.result(id, result)
	}
}
