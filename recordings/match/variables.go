package match

import (
	"context"
	"slices"
	"strings"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

const (
	// maxCandidates is how many different strings of a client are looked for in
	// what the server sent, and maxCandidate how long they may be.
	maxCandidates = 1 << 14
	maxCandidate  = 1 << 10
	// maxUses is how many uses are kept of all variables together.
	maxUses = 1 << 16
	// minLength is how long a string must be that could be an identifier by its
	// looks.
	minLength = 8
)

// carried are members of params whose value a client got from the server.
var carried = []string{"cursor", "taskId", "requestState", "uri", "subscriptionId", "resourceUri", "elicitationId"}

// A Variable is a value that the server gave and the client sent back, such as
// a cursor: in another session it is another one.
type Variable struct {
	Value   string
	Source  Ref     // the message of the server that had it
	Answers Ref     // the request that Source is the answer to; zero if it is none
	Method  string  // of Source
	Pointer Pointer // into Source, such as /result/nextCursor
	Uses    []Use
}

// A Use is where the client sent a variable.
type Use struct {
	At      Ref
	Method  string
	Pointer Pointer // into the message, such as /params/cursor
}

// Live returns the value that stands for the variable in a session that goes on
// now, given the message that stands for Source. A value that is still there, in
// the same place or in another element of the same array, stays; otherwise it
// is the string in the same place. It is not ok if there is none.
func (v *Variable) Live(source []byte) (value string, ok bool) {
	canonical, err := AppendCanonical(nil, source)
	if err != nil {
		return "", false
	}
	pattern := v.Pointer.Tokens()
	for i, t := range pattern {
		if isNumber(t) {
			pattern[i] = "*"
		}
	}
	still := false
	findString(nil, canonical, v.Value, func(path []string) bool {
		still = len(path) == len(pattern) && covers(pattern, path)
		return !still
	})
	if still {
		return v.Value, true
	}
	raw := At(canonical, v.Pointer)
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	return unquote(raw), true
}

func isNumber(token string) bool {
	return token != "" && strings.Trim(token, "0123456789") == ""
}

// Variables finds the variables of a session: strings of params that a message
// of the server had before the client sent them first. Under a name that says
// so (cursor, taskId, requestState, uri, and the like) any string is one; under
// others only what looks like an identifier: 8 characters and more with a digit
// and no space. Where several messages had it, the source is the latest one of
// the same method as the use, else the first.
//
// It reads src twice. At most 16,384 different strings of up to 1 KiB are looked
// for, and 65,536 uses kept.
func Variables(ctx context.Context, src session.Source) ([]Variable, error) {
	f := finder{candidates: map[string]*candidate{}, index: map[variableKey]int{}}
	if err := Walk(ctx, src, f.collect); err != nil || len(f.candidates) == 0 {
		return nil, err
	}
	if err := Walk(ctx, src, f.trace); err != nil {
		return nil, err
	}
	return f.found, nil
}

// A candidate is a string that the client sent.
type candidate struct {
	own   bool // the client had it first
	first *source
	last  map[string]*source // by method
}

type source struct {
	at, answers Ref
	method      string
	pointer     Pointer
}

type variableKey struct {
	value string
	at    place
}

type finder struct {
	candidates map[string]*candidate
	index      map[variableKey]int // of found
	found      []Variable
	uses       int
}

// collect takes the strings of a message of the client.
func (f *finder) collect(it *Item) error {
	eachSent(it, func(_ []string, text string) {
		if len(f.candidates) < maxCandidates && f.candidates[text] == nil {
			f.candidates[text] = &candidate{}
		}
	})
	return nil
}

// trace follows the candidates through the session.
func (f *finder) trace(it *Item) error {
	if !it.FromClient {
		f.traceSource(it)
		return nil
	}
	eachSent(it, func(path []string, text string) { f.use(it, path, text) })
	return nil
}

// eachSent calls visit for the strings of a request of the client that may have
// come from the server.
func eachSent(it *Item, visit func(path []string, text string)) {
	if it.Kind != ItemRequest || !it.FromClient || it.Method == mcp.MethodInitialize {
		return
	}
	params := it.Msg.RawParams()
	if len(params) <= len("{}") {
		return
	}
	canonical, err := AppendCanonical(nil, params)
	if err != nil {
		return
	}
	walkStrings([]string{"params"}, canonical, func(path []string, text string) {
		if path[min(1, len(path)-1)] != "_meta" && couldBeGiven(path, text) {
			visit(path, text)
		}
	})
}

// walkStrings calls visit for each string value.
func walkStrings(path []string, value []byte, visit func(path []string, text string)) {
	if len(value) > 0 && value[0] == '"' {
		if len(value) <= maxCandidate {
			visit(path, unquote(value))
		}
		return
	}
	n := 0
	Each(value, func(name string, member []byte) bool {
		if value[0] == '[' {
			name = token(nil, n)
			n++
		}
		walkStrings(append(path[:len(path):len(path)], name), member, visit)
		return true
	})
}

func couldBeGiven(path []string, text string) bool {
	if text == "" {
		return false
	}
	if slices.Contains(carried, path[len(path)-1]) {
		return true
	}
	return len(text) >= minLength && len(path) > 2 && strings.ContainsAny(text, "0123456789") && !strings.ContainsAny(text, " \t\n")
}

// traceSource notes which candidates a message of the server has.
func (f *finder) traceSource(it *Item) {
	if it.Kind == ItemStray || it.Kind == ItemStart || it.Kind == ItemEnd {
		return
	}
	var hits []string
	eachString(it.Msg.Line, func(text []byte) {
		if c := f.candidates[string(text)]; c != nil && !c.own && !slices.Contains(hits, string(text)) {
			hits = append(hits, string(text))
		}
	})
	if len(hits) == 0 {
		return
	}
	canonical, err := AppendCanonical(nil, it.Msg.Line)
	if err != nil {
		return
	}
	for _, text := range hits {
		findString(nil, canonical, text, func(path []string) bool {
			s := &source{at: it.At, method: it.Method, pointer: PointerTo(path...)}
			if it.Kind == ItemAnswer && it.HasOf {
				s.answers = it.Of
			}
			f.candidates[text].add(s)
			return false
		})
	}
}

func (c *candidate) add(s *source) {
	if c.first == nil {
		c.first, c.last = s, map[string]*source{}
	}
	if len(c.last) < 64 || c.last[s.method] != nil {
		c.last[s.method] = s
	}
}

// use notes where the client sent a candidate.
func (f *finder) use(it *Item, path []string, text string) {
	c := f.candidates[text]
	switch {
	case c == nil || c.own || f.uses == maxUses:
		return
	case c.first == nil:
		c.own = true
		return
	}
	s := c.first
	if same := c.last[it.Method]; same != nil {
		s = same
	}
	f.uses++
	key := variableKey{text, s.at.place()}
	i, ok := f.index[key]
	if !ok {
		i = len(f.found)
		f.index[key] = i
		f.found = append(f.found, Variable{Value: text, Source: s.at, Answers: s.answers, Method: s.method, Pointer: s.pointer})
	}
	f.found[i].Uses = append(f.found[i].Uses, Use{At: it.At, Method: it.Method, Pointer: PointerTo(path...)})
}
