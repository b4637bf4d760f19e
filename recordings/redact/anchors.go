package redact

import (
	"math/bits"
	"regexp/syntax"
	"strings"
)

// A shorter anchor would match almost everywhere.
const shortestAnchor = 3

// A scanner finds in one pass over some bytes which rules can match, so that regular
// expressions rarely run. It is an Aho-Corasick automaton over the anchors of all rules,
// in any case.
type scanner struct {
	class   [256]uint8 // 0 for bytes in no anchor
	classes int
	shift   int      // enough bits for a class
	next    []uint32 // [state + class]; a state is its number << shift
	found   []rules  // by state number
	first   uint32   // this and higher states end an anchor
	always  rules    // rules without an anchor
	longest int      // anchor, in bytes
}

// rules is a set, one bit each.
type rules uint64

// An anchor is a text that every match of the rule contains.
type anchor struct {
	text string
	rule rules
}

// The automaton has a state for each byte of the anchors.
func newScanner(anchors []anchor, always rules) *scanner {
	s := &scanner{always: always, classes: 1}
	for _, a := range anchors {
		s.longest = max(s.longest, len(a.text))
		for _, c := range []byte(lower(a.text)) {
			if s.class[c] == 0 {
				s.class[c] = uint8(s.classes)
				s.classes++
			}
		}
	}
	for c := byte('A'); c <= 'Z'; c++ {
		s.class[c] = s.class[c|0x20]
	}
	trie := newTrie(s, anchors)
	s.number(trie)
	return s
}

// A node is a state while the automaton is being built.
type node struct {
	next   []int // by class, -1 for none
	fail   int
	found  rules
	number int
}

// newTrie builds the states of the anchors and their failure links.
func newTrie(s *scanner, anchors []anchor) []node {
	nodes := []node{newNode(s.classes)}
	for _, a := range anchors {
		at := 0
		for _, c := range []byte(lower(a.text)) {
			to := nodes[at].next[s.class[c]]
			if to < 0 {
				to = len(nodes)
				nodes[at].next[s.class[c]] = to
				nodes = append(nodes, newNode(s.classes))
			}
			at = to
		}
		nodes[at].found |= a.rule
	}
	queue := []int{0}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for class, to := range nodes[at].next {
			back := 0
			if at != 0 {
				back = nodes[nodes[at].fail].next[class]
			}
			if to < 0 {
				nodes[at].next[class] = back
				continue
			}
			nodes[to].fail = back
			nodes[to].found |= nodes[back].found
			queue = append(queue, to)
		}
	}
	return nodes
}

func newNode(classes int) node {
	n := node{next: make([]int, classes)}
	for i := range n.next {
		n.next[i] = -1
	}
	return n
}

// number gives the states that end an anchor the highest numbers, so that one comparison
// finds them.
func (s *scanner) number(nodes []node) {
	s.shift = bits.Len(uint(s.classes - 1))
	order := make([]int, 0, len(nodes))
	for _, ends := range []bool{false, true} {
		if ends {
			s.first = uint32(len(order) << s.shift)
		}
		for i := range nodes {
			if (nodes[i].found != 0) == ends {
				nodes[i].number = len(order)
				order = append(order, i)
			}
		}
	}
	s.next = make([]uint32, len(nodes)<<s.shift)
	s.found = make([]rules, len(nodes))
	for number, i := range order {
		for class, to := range nodes[i].next {
			s.next[number<<s.shift+class] = uint32(nodes[to].number << s.shift)
		}
		s.found[number] = nodes[i].found
	}
}

// lanes is how many parts of a text scan reads at the same time.
const lanes = 4

// scan returns the rules that can match in b. A byte has to wait for the state of the one
// before, so that parts which do not wait for each other are read in turns. They overlap
// by an anchor.
func (s *scanner) scan(b []byte) rules {
	part := len(b) / lanes
	if part <= s.longest || s.longest < lanes {
		return s.always | s.scanPart(b)
	}
	size := part + s.longest
	p, q, u, v := b[:size], b[part:][:size], b[2*part:][:size], b[len(b)-size:]
	hit, next, first := s.always, s.next, s.first
	var i, j, k, l uint32
	for at := range p {
		i, j = next[i+uint32(s.class[p[at]])], next[j+uint32(s.class[q[at]])]
		k, l = next[k+uint32(s.class[u[at]])], next[l+uint32(s.class[v[at]])]
		if max(i, j, k, l) >= first {
			hit |= s.found[i>>s.shift] | s.found[j>>s.shift] | s.found[k>>s.shift] | s.found[l>>s.shift]
		}
	}
	return hit
}

func (s *scanner) scanPart(b []byte) (hit rules) {
	state := uint32(0)
	for _, c := range b {
		if state = s.next[state+uint32(s.class[c])]; state >= s.first {
			hit |= s.found[state>>s.shift]
		}
	}
	return hit
}

func lower(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r | 0x20
		}
		return r
	}, text)
}

// plainRun returns the longest run of bytes that JSON never needs to escape. (Lines with
// \/ or \u escapes are searched by all rules.)
func plainRun(text string) string {
	best := ""
	for _, run := range strings.FieldsFunc(text, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == '/' || r > '~' }) {
		if len(run) > len(best) {
			best = run
		}
	}
	return best
}

// anchorsOf returns texts of which every match of the expression contains one, or nil.
func anchorsOf(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		text := string(re.Rune)
		if re.Flags&syntax.FoldCase != 0 && strings.ContainsAny(lower(text), "ks") {
			text = strings.FieldsFunc(lower(text), func(r rune) bool { return r == 'k' || r == 's' })[0] // ſ and K fold to them
		}
		if run := plainRun(text); len(run) >= shortestAnchor {
			return []string{run}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return anchorsOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return anchorsOf(re.Sub[0])
		}
	case syntax.OpConcat:
		return bestAnchors(re.Sub)
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			some := anchorsOf(sub)
			if some == nil {
				return nil
			}
			all = append(all, some...)
		}
		return all
	}
	return nil
}

// bestAnchors returns the anchors of the part whose shortest anchor is longest.
func bestAnchors(parts []*syntax.Regexp) (best []string) {
	shortest := func(texts []string) int {
		n := 1 << 30
		for _, t := range texts {
			n = min(n, len(t))
		}
		return n
	}
	for _, part := range parts {
		if some := anchorsOf(part); some != nil && (best == nil || shortest(some) > shortest(best)) {
			best = some
		}
	}
	return best
}
