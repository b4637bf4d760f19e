package match

import (
	"context"
	"slices"
	"strings"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

const (
	// Limits of the strings of a client that are searched for in the messages of the
	// server: their number and their length.
	maxCandidates = 1 << 14
	maxCandidate  = 1 << 10
	// maxUses limits the uses of all variables together.
	maxUses = 1 << 16
	// minLength is the least length of an identifier, by its form.
	minLength = 8
)

// carried are names of params whose values a client got from the server.
var carried = []string{"cursor", "taskId", "requestState", "uri", "subscriptionId", "resourceUri", "elicitationId"}

// A Variable is a value that the server provided and the client sent back, such as a
// cursor: it differs between sessions.
type Variable struct {
	Value      string
	Source     Ref     // the server message that contains it
	RespondsTo Ref     // the request that Source responds to; zero if it is not a response
	Method     string  // of Source
	Pointer    Pointer // into Source, such as /result/nextCursor
	Uses       []Use
}

// A Use is a place where the client sent a variable.
type Use struct {
	At      Ref
	Method  string
	Pointer Pointer // into the message, such as /params/cursor
}

// LiveValue returns the value of the variable in a current session, given the message that
// corresponds to Source. The value is kept if it is still in the same place or in
// another element of the same array; otherwise it is the string now in that place.
// ok is false if there is none.
func (v *Variable) LiveValue(source []byte) (value string, ok bool) {
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

// Variables finds the variables of a session: strings of params that a message of the
// server contained before the client first sent them. Under a telling name (cursor,
// taskId, requestState, uri and so on) any string counts; under other names only one
// that looks like an identifier: at least 8 characters with a digit and no space. If
// several messages contained it, the source is the latest one of the same method as
// the use, or else the first.
//
// It reads src twice. It searches for at most 16,384 different strings of up to 1 KiB
// and keeps 65,536 uses.
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
	own   bool // the client used it first
	first *source
	last  map[string]*source // by method
}

type source struct {
	at, responses Ref
	method        string
	pointer       Pointer
}

type variableKey struct {
	value string
	at    Place
}

type finder struct {
	candidates map[string]*candidate
	index      map[variableKey]int
	found      []Variable
	uses       int
}

func (f *finder) collect(it *Item) error {
	eachSentString(it, func(_ []string, text string) {
		if len(f.candidates) < maxCandidates && f.candidates[text] == nil {
			f.candidates[text] = &candidate{}
		}
	})
	return nil
}

func (f *finder) trace(it *Item) error {
	if !it.FromClient {
		f.traceSource(it)
		return nil
	}
	eachSentString(it, func(path []string, text string) { f.use(it, path, text) })
	return nil
}

// eachSentString visits strings of a client request that may have come from the server.
func eachSentString(it *Item, visit func(path []string, text string)) {
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
		if path[min(1, len(path)-1)] != "_meta" && mayBeVariable(path, text) {
			visit(path, text)
		}
	})
}

func walkStrings(path []string, value []byte, visit func(path []string, text string)) {
	if len(value) > 0 && value[0] == '"' {
		if len(value) <= maxCandidate {
			visit(path, unquote(value))
		}
		return
	}
	for token, part := range Each(value) {
		walkStrings(append(path[:len(path):len(path)], token), part, visit)
	}
}

func mayBeVariable(path []string, text string) bool {
	if text == "" {
		return false
	}
	if slices.Contains(carried, path[len(path)-1]) {
		return true
	}
	return len(text) >= minLength && len(path) > 2 && strings.ContainsAny(text, "0123456789") && !strings.ContainsAny(text, " \t\n")
}

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
			if it.Kind == ItemResponse && it.HasOf {
				s.responses = it.Of
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
	key := variableKey{text, s.at.Place()}
	i, ok := f.index[key]
	if !ok {
		i = len(f.found)
		f.index[key] = i
		f.found = append(f.found, Variable{Value: text, Source: s.at, RespondsTo: s.responses, Method: s.method, Pointer: s.pointer})
	}
	f.found[i].Uses = append(f.found[i].Uses, Use{At: it.At, Method: it.Method, Pointer: PointerTo(path...)})
}
