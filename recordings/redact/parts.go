package redact

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/recordings"
	"mcpdbg/session"
)

const (
	// longestJoined is how many bytes of a line in several entries are searched together.
	longestJoined = 64 << 20
	maxPlans      = 1 << 20
)

var errTooMany = errors.New("too many lines in parts contain secrets")

// A plan holds the changes of an entry whose line spans several entries or follows later.
// The first pass makes the plans, because entries of other streams come in between.
type plan struct {
	edits []edit // of its payload
	head  []byte // for a waiting entry: the redacted beginning of its line
	heads bool
	opens []request // in the line, for its last entry
}

type planner struct {
	*reader
	plans  map[int]plan // by number of the line in the file
	chains map[session.Kind]*chain
	pieces int
}

// A chain is an incomplete line.
type chain struct {
	links []link
	bytes []byte
	waits []link // waiting entries with its beginning
}

// A link is an entry and the number of its bytes in the chain.
type link struct{ line, size int }

// makePlans reads the file once. It also returns how many lines were searched in pieces.
func makePlans(ctx context.Context, s *recordings.Scanner, r *reader) (map[int]plan, int, error) {
	p := &planner{reader: r, plans: map[int]plan{}, chains: map[session.Kind]*chain{}}
	for _, kind := range []session.Kind{session.KindStdin, session.KindStdout, session.KindStderr} {
		p.chains[kind] = &chain{}
	}
	for n := 0; s.Next(); n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, 0, context.Cause(ctx)
		}
		if s.Torn() || !p.matters(s.Line()) {
			continue
		}
		e, err := s.Decode()
		if err != nil {
			continue
		}
		if p.entry(n, e); len(p.plans) > maxPlans {
			return nil, 0, errTooMany
		}
	}
	p.endLines()
	for _, c := range p.chains {
		for _, wait := range c.waits {
			p.plans[wait.line] = plan{heads: true}
		}
	}
	return p.plans, p.pieces, s.Err()
}

// matters reports from the beginning of a line whether its entry may be part of a line in
// several entries. Most are not, and are not decoded.
func (p *planner) matters(line []byte) bool {
	head := line[:min(len(line), 160)]
	_, kind, ok := bytes.Cut(head, []byte(`"k":"`))
	if !ok {
		return true
	}
	name, _, _ := bytes.Cut(kind, []byte(`"`))
	k := session.ParseKind(name)
	switch k {
	case session.KindStdin, session.KindStdout, session.KindStderr:
		c := p.chains[k]
		return p.methods || len(c.links) > 0 || len(c.waits) > 0 || bytes.Contains(head, []byte(`"eol":""`)) || bytes.Contains(head, []byte(`"cuts":`))
	case session.KindWaiting, session.KindStart, session.KindGap:
		return true
	}
	return false
}

func (p *planner) entry(n int, e *session.Entry) {
	switch {
	case e.Kind == session.KindStart, e.Kind == session.KindGap:
		p.endLines()
	case e.Kind == session.KindWaiting:
		var b session.WaitingBody
		if e.DecodeBody(&b) != nil {
			return
		}
		if c := p.chains[session.ParseKind([]byte(b.Stream))]; c != nil {
			c.waits = append(c.waits, link{n, max(len(b.Head), len(b.Head64))})
		}
	case e.Kind.IsStream():
		c := p.chains[e.Kind]
		if len(c.bytes)+len(e.Payload) > longestJoined && len(c.links) > 0 {
			p.pieces++
			p.search(e.Kind)
		}
		size := len(c.bytes)
		c.bytes = append(append(c.bytes, e.Payload...), e.EOL.String()...)
		c.links = append(c.links, link{n, len(c.bytes) - size})
		goesOn := e.More || e.Kind == session.KindStdin && e.EOL == framing.NoEOL
		if !goesOn {
			p.search(e.Kind)
		}
	}
}

// endLines searches lines that will not continue.
func (p *planner) endLines() {
	for kind := range p.chains {
		p.search(kind)
	}
}

func (p *planner) search(kind session.Kind) {
	c := p.chains[kind]
	if len(c.links) == 0 {
		return
	}
	end := len(bytes.TrimRight(c.bytes, "\r\n"))
	switch {
	case len(c.links) > 1 || len(c.waits) > 0:
		clear(p.key) // the second pass finds keys that span lines
		p.opened = p.opened[:0]
		edits := p.inStream(kind, c.bytes[:end])
		for _, wait := range c.waits { // they contain the beginning of the line
			size := min(wait.size, len(c.bytes))
			if len(edits) == 0 || edits[0].from >= size {
				continue
			}
			if to := moved(edits, size); to >= 0 {
				p.plans[wait.line] = plan{head: slices.Clone(apply(nil, c.bytes, edits)[:to]), heads: true}
			}
		}
		if len(c.links) > 1 {
			p.planParts(c, edits)
		}
	case p.methods && kind != session.KindStderr:
		p.methodOf(kind, c.bytes[:end], framing.Scan(c.bytes[:end]))
	}
	c.links, c.waits = c.links[:0], c.waits[:0]
	if c.bytes = c.bytes[:0]; cap(c.bytes) > 1<<20 {
		c.bytes = nil
	}
}

// An edit that spans several entries puts its text into the first.
func (p *planner) planParts(c *chain, edits []edit) {
	begin := 0
	for _, l := range c.links {
		end := begin + l.size
		var own []edit
		for _, e := range edits {
			if e.from >= end || e.to <= begin {
				continue
			}
			if e.from < begin {
				e.text, e.rule, e.from = "", "", begin
			}
			e.to = min(e.to, end)
			own = append(own, e)
		}
		if own != nil {
			p.plans[l.line] = plan{edits: shifted(own, -begin)}
		}
		begin = end
	}
	if len(p.opened) > 0 {
		last := c.links[len(c.links)-1].line
		with := p.plans[last]
		with.opens = slices.Clone(p.opened)
		p.plans[last] = with
	}
}
