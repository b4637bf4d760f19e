package lifecycle

import (
	"strconv"

	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
)

const (
	// progressWindow and progressRate are when progress is a flood.
	progressWindow = 1_000_000
	progressRate   = 50
)

// A token is a progress token that a request brought.
type token struct {
	n           uint64 // entry of its request
	method      string
	name        string
	active      bool  // the request is pending
	cancelledAt int64 // 0 if it was not cancelled
	answered    bool
	task        bool // a task goes on after the response (2025-11-25)
	handed      bool // to a task of the extension, which has no progress
	value       float64
	reported    bool // anything yet
	windowAt    int64
	count       int // within the window
	flooded     bool
}

// progress is the tokens of one direction.
type progress struct {
	tokens map[string]*token
	active int
	ended  []string // ring of tokens that are over
	next   int
	free   []*token // to be used again
	full   bool     // some tokens are not known
}

func direction(fromServer bool) int {
	if fromServer {
		return 1
	}
	return 0
}

// tokenOf notes the progress token of a request.
func (c *Checker) tokenOf(m *message.Message) {
	r := m.Request
	if r.Token == "" {
		return
	}
	p := &c.progress[direction(m.FromServer)]
	if first := r.Token[0]; first != '"' && first != '-' && (first < '0' || first > '9') && first != '#' {
		c.found(prg04, m.At, about(r), "the token is %s", message.Excerpt(r.Token))
		return
	}
	t := p.tokens[r.Token]
	switch {
	case t != nil && t.active && !c.lost:
		c.found(prg04, m.At, about(r), "token %s is in use by entry %d", message.Excerpt(r.Token), t.n)
	case t != nil && t.active:
	case p.active >= maxTokens:
		p.full = true
		return
	default:
		p.active++
	}
	if t == nil { // one that is over stays in the ring
		if p.tokens == nil {
			p.tokens = make(map[string]*token)
		}
		t = p.record()
		p.tokens[r.Token] = t
	}
	*t = token{n: r.At.N, method: r.Method, name: r.Name, active: true}
}

func (p *progress) record() *token {
	if n := len(p.free); n > 0 {
		t := p.free[n-1]
		p.free = p.free[:n-1]
		return t
	}
	return new(token)
}

// of returns the token of a request that is over, nil if it has none.
func (p *progress) of(r *message.Request) *token {
	if r.Token == "" {
		return nil
	}
	t := p.tokens[r.Token]
	if t == nil || t.n != r.At.N {
		return nil
	}
	if t.active {
		t.active = false
		p.active--
		p.keep(r.Token)
	}
	return t
}

func (c *Checker) answered(m *message.Message, r *message.Request) {
	if t := c.progress[direction(r.FromServer)].of(r); t != nil {
		t.answered, t.task, t.handed = true, r.Task || isTask(m), isExtendedTask(m)
	}
}

func (c *Checker) stopped(r *message.Request) {
	if t := c.progress[direction(r.FromServer)].of(r); t != nil {
		t.cancelledAt = r.Cancelled
	}
}

// keep puts a token into the ring of those that are over, and drops the oldest.
func (p *progress) keep(name string) {
	if len(p.ended) < maxEndedTokens {
		p.ended = append(p.ended, name)
		return
	}
	p.full = true
	oldest := p.ended[p.next]
	if old := p.tokens[oldest]; old != nil && !old.active && oldest != name {
		delete(p.tokens, oldest)
		p.free = append(p.free, old)
	}
	p.ended[p.next] = name
	p.next = (p.next + 1) % maxEndedTokens
}

func (c *Checker) progressed(m *message.Message) {
	params := m.Of(m.Params)
	name, value, total := progressOf(params)
	if name == nil {
		return
	}
	p := &c.progress[direction(!m.FromServer)]
	t := p.tokens[string(name)]
	if t == nil {
		t = p.tokens[message.Short(name)]
	}
	switch {
	case t == nil:
		if !p.full && c.fromStart() {
			c.found(prg01, m.At, diagnosis.Location{Method: string(m.Of(m.Method))}, "no request has the token %s", message.Excerpt(name))
		}
		return
	case t.task:
	case t.handed:
		c.found(prg03, m.At, t.where(), "the request became a task")
	case t.answered:
		c.found(prg03, m.At, t.where(), "the request is answered")
	case t.cancelledAt > 0 && m.At.T-t.cancelledAt > grace:
		c.found(prg03, m.At, t.where(), "the request was cancelled %s before", seconds(m.At.T-t.cancelledAt))
	}
	c.increases(m, t, value, total)
	c.rate(m, t)
}

func (t *token) where() diagnosis.Location { return diagnosis.Location{Method: t.method, Name: t.name} }

func (c *Checker) increases(m *message.Message, t *token, value, total []byte) {
	now, err := strconv.ParseFloat(string(value), 64)
	if err != nil {
		return
	}
	if t.reported && now <= t.value {
		c.found(prg02, m.At, t.where(), "progress %s after %s", message.Excerpt(value), strconv.FormatFloat(t.value, 'g', -1, 64))
	}
	if most, err := strconv.ParseFloat(string(total), 64); err == nil && now > most {
		c.report(prg02, diagnosis.Warning, m.At, t.where(), "progress "+message.Excerpt(value)+" of "+message.Excerpt(total))
	}
	t.value, t.reported = now, true
}

func (c *Checker) rate(m *message.Message, t *token) {
	if m.At.T-t.windowAt >= progressWindow {
		t.windowAt, t.count = m.At.T, 0
	}
	if t.count++; t.count > progressRate && !t.flooded {
		t.flooded = true
		c.found(prg05, m.At, t.where(), "more than %d notifications within a second", progressRate)
	}
}
