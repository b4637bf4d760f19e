package session

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/mcp"
)

// happenings are the events of TestNegotiation. D is an answer to server/discover,
// I one to initialize.
var happenings = func() map[string]happening {
	all := map[string]happening{"late": {}, "dies": {died: errors.New("gone")}}
	for letter, method := range map[string]string{"D": mcp.MethodDiscover, "I": mcp.MethodInitialize} {
		server := Server{Era: mcp.Modern, Protocol: mcp.V20260728}
		if letter == "I" {
			server = Server{Era: mcp.Legacy, Protocol: mcp.V20251125}
		}
		add := func(name string, r reply) {
			r.method = method
			if name != "result" {
				r.err = &handshakeError{ReasonRefused, fmt.Errorf("%s %s", letter, name)}
			}
			all[letter+" "+name] = happening{reply: &r}
		}
		add("result", reply{server: server})
		add("error", reply{})
		add("names modern", reply{refused: true, modern: mcp.V20260728})
		add("names legacy", reply{refused: true, legacy: mcp.V20250618})
		add("names both", reply{refused: true, modern: mcp.V20260728, legacy: mcp.V20250618})
		add("names nothing", reply{refused: true})
		add("final", reply{final: true})
	}
	return all
}()

// String returns a decision as the table writes it.
func (d decision) String() string {
	text := map[move]string{
		moveWait: "wait", moveDiscover: "D", moveInitialize: "I", moveSettle: "settle " + string(d.server.Era),
		moveRestart: "restart", moveLegacy: "legacy start",
	}[d.move]
	if d.move == moveFail {
		return "fail: " + d.err.Error()
	}
	if d.version != "" {
		text += " " + d.version
	}
	if d.wait > 0 {
		text += " " + d.wait.String()
	}
	return text
}

// TestNegotiation has a row for each clause of the handshake. A row is a list of
// what happens and what is decided about it, from the first decision on.
func TestNegotiation(t *testing.T) {
	const (
		both  = "D 1.5s; late > I"                 // both requests are open
		again = "D names modern > D " + mcp.Latest // server/discover is sent again
	)
	for _, c := range []struct{ name, row string }{
		{"modern at once", "D 1.5s; D result > settle modern"},
		{"legacy at once", "D 1.5s; D error > I; I result > settle legacy"},

		{"a: accepted, and nothing else", both + "; I result > wait 250ms; late > settle legacy"},
		{"a: accepted, and discover is refused within 250 ms", both + "; I result > wait 250ms; D error > settle legacy"},
		{"a: accepted, and a final answer within 250 ms", both + "; I result > wait 250ms; D final > settle legacy"},
		{"a: accepted, and a DiscoverResult within 250 ms", both + "; I result > wait 250ms; D result > restart"},
		{"a: accepted, and -32022 within 250 ms", both + "; I result > wait 250ms; D names modern > restart"},
		{"a: accepted, and -32022 of legacy versions within 250 ms", both + "; I result > wait 250ms; D names legacy > settle legacy"},
		{"a: a DiscoverResult, then accepted", both + "; D result > wait 1.5s; I result > restart"},
		{"a: -32022, then accepted", both + "; D names modern > wait 1.5s; I result > restart"},
		{"a: discover was refused, then accepted", both + "; D error > wait; I result > settle legacy"},
		{"a: accepted, and the process dies within 250 ms", both + "; I result > wait 250ms; dies > fail: gone"},

		{"b: a DiscoverResult, then refused", both + "; D result > wait 1.5s; I error > settle modern"},
		{"b: -32022, then refused", both + "; D names modern > wait 1.5s; I error > D 2026-07-28; D result > settle modern"},
		{"b: -32022 twice", both + "; D names modern > wait 1.5s; I error > D 2026-07-28; D names modern > fail: D names modern; I error"},
		{"b: the retried discover dies", both + "; D names modern > wait 1.5s; I error > D 2026-07-28; dies > fail: gone"},
		{"b: refused with a modern version", both + "; I names modern > D 2026-07-28; D result > settle modern"},
		{"b: refused with a modern version, and it refuses that", both + "; I names modern > D 2026-07-28; D names modern > wait 1.5s; late > fail: D names modern; I names modern"},
		{"b: refused with a legacy version", both + "; I names legacy > I 2025-06-18; I result > wait 250ms; late > settle legacy"},
		{"b: refused with a legacy version twice", both + "; D error > wait; I names legacy > I 2025-06-18; I names legacy > fail: D error; I names legacy"},
		{"b: refused, and discover is silent", both + "; I error > wait 1.5s; late > fail: I error"},
		{"b: refused, then a DiscoverResult", both + "; I error > wait 1.5s; D result > settle modern"},
		{"b: refused, then -32022", both + "; I error > wait 1.5s; D names modern > D 2026-07-28; D result > settle modern"},
		{"b: refused, then refused", both + "; I error > wait 1.5s; D error > fail: D error; I error"},
		{"b: refused, then refused, the other way round", both + "; D error > wait; I error > fail: D error; I error"},

		{"c: a DiscoverResult, and initialize is silent", both + "; D result > wait 1.5s; late > restart"},
		{"c: -32022, and initialize is silent", both + "; D names modern > wait 1.5s; late > restart"},
		{"c: a DiscoverResult, and the process dies", both + "; D result > wait 1.5s; dies > restart"},
		{"c: -32022, and the process dies", both + "; D names modern > wait 1.5s; dies > restart"},

		{"d: dies at discover", "D 1.5s; dies > legacy start"},
		{"d: dies at initialize, with nothing answered", both + "; dies > legacy start"},
		{"d: dies after a refused discover", "D 1.5s; D error > I; dies > fail: gone"},
		{"d: dies after a refused discover, both open", both + "; D error > wait; dies > fail: gone"},
		{"d: dies after a refused initialize", both + "; I error > wait 1.5s; dies > fail: gone"},
		{"d: dies when discover is sent again", "D 1.5s; " + again + "; dies > fail: gone"},

		{"e: silence", both}, // the startup timeout ends it
		{"e: a refused discover, then silence", both + "; D error > wait"},
		{"e: a final answer, then silence", both + "; D final > wait 1.5s; late > fail: D final"},
		{"e: discover is sent again, then silence", "D 1.5s; " + again},

		{"final", "D 1.5s; D final > fail: D final"},
		{"final, and initialize was sent already", both + "; D final > wait 1.5s; I result > settle legacy"},
		{"final, and initialize is refused", both + "; D final > wait 1.5s; I error > fail: D final; I error"},
		{"final, and initialize names a legacy version", both + "; D final > wait 1.5s; I names legacy > I 2025-06-18 1.5s; late > fail: D final; I names legacy"},
		{"-32022 twice, modern versions only", "D 1.5s; " + again + "; D names modern > fail: D names modern"},
		{"-32022 twice, without a list", "D 1.5s; " + again + "; D names nothing > fail: D names nothing"},
		{"-32022 twice, and a legacy version", "D 1.5s; " + again + "; D names both > I 2025-06-18; I result > settle legacy"},
		{"-32022, then a refusal", "D 1.5s; " + again + "; D error > I; I result > settle legacy"},
		{"-32022 of legacy versions", "D 1.5s; D names legacy > I 2025-06-18; I result > settle legacy"},
		{"-32022 without a list", "D 1.5s; D names nothing > I; I result > settle legacy"},

		{"legacy first", "I; I result > settle legacy"},
		{"legacy first, refused", "I; I error > D 1.5s; D result > settle modern"},
		{"legacy first, refused, and discover is silent", "I; I error > D 1.5s; late > fail: I error"},
		{"legacy first, refused with a modern version", "I; I names modern > D 2026-07-28; D result > settle modern"},
		{"legacy first, final", "I; I final > fail: I final"},
		{"legacy first, dies", "I; dies > fail: gone"},

		{"pinned to modern", "D; D result > settle modern"},
		{"pinned to modern, -32022", "D; " + again + "; D result > settle modern"},
		{"pinned to modern, refused", "D; D error > fail: D error"},
		{"pinned to modern, legacy versions only", "D; D names legacy > fail: D names legacy"},
		{"pinned to modern, dies", "D; dies > fail: gone"},
		{"pinned to legacy", "I; I result > settle legacy"},
		{"pinned to legacy, refused with a legacy version", "I; I names legacy > I 2025-06-18; I result > settle legacy"},
		{"pinned to legacy, refused with a modern version", "I; I names modern > fail: I names modern"},
		{"pinned to legacy, dies", "I; dies > fail: gone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, first := negotiation{probeWait: 1500 * time.Millisecond}, mcp.Modern
			if strings.HasPrefix(c.row, "I") {
				first = mcp.Legacy
			}
			if _, era, ok := strings.Cut(c.name, "pinned to "); ok {
				n.probeWait = 0
				n.era = mcp.Era(strings.Split(era, ",")[0])
			}
			steps := strings.Split(c.row, "; ")
			require.Equal(t, steps[0], n.begin(first, "").String())
			for i := 1; i < len(steps); i++ {
				event, want, _ := strings.Cut(steps[i], " > ")
				for strings.HasPrefix(want, "fail") && i+1 < len(steps) { // the text of two errors has the same separator
					i++
					want += "; " + steps[i]
				}
				require.Contains(t, happenings, event)
				require.Equal(t, want, n.next(happenings[event]).String(), "step %d: %s", i, event)
			}
		})
	}
}

// TestNegotiationEnds plays every sequence of events: each ends, no process that
// accepted initialize becomes modern, and none that was sent initialize and has
// neither refused nor accepted it.
func TestNegotiationEnds(t *testing.T) {
	type state struct {
		n                 negotiation
		discovers, shakes int // open
		trace             []string
	}
	count := 0
	var play func(s state)
	play = func(s state) {
		require.Less(t, len(s.trace), 16, "%v", s.trace)
		for name, h := range happenings {
			if name[0] == 'D' && s.discovers == 0 || name[0] == 'I' && s.shakes == 0 {
				continue
			}
			if name == "late" && s.trace[len(s.trace)-1] == "no limit" {
				continue
			}
			next := s
			next.trace = append(append([]string{}, s.trace...), name)
			switch name[0] {
			case 'D':
				next.discovers--
			case 'I':
				next.shakes--
			}
			d := next.n.next(h)
			next.trace = append(next.trace, d.String())
			count++
			switch d.move {
			case moveDiscover:
				next.discovers++
			case moveInitialize:
				next.shakes++
			case moveSettle:
				if d.server.Era == mcp.Modern {
					require.Nil(t, next.n.accepted, "%v", next.trace)
					require.Zero(t, next.shakes, "%v", next.trace)
				} else {
					require.NotNil(t, next.n.accepted, "%v", next.trace)
				}
				continue
			case moveRestart:
				require.Positive(t, next.n.inits, "%v", next.trace)
				continue
			case moveLegacy, moveFail:
				if d.err == nil {
					require.Fail(t, "no error", "%v", next.trace)
				}
				continue
			}
			if d.wait == 0 {
				next.trace = append(next.trace, "no limit")
			} else {
				next.trace = append(next.trace, "limit")
			}
			if next.discovers+next.shakes == 0 {
				require.Fail(t, "waits for nothing", "%v", next.trace)
			}
			play(next)
		}
	}
	for _, first := range []mcp.Era{mcp.Modern, mcp.Legacy} {
		n := negotiation{probeWait: ProbeTimeout}
		d := n.begin(first, "")
		s := state{n: n, trace: []string{d.String(), "limit"}}
		if first == mcp.Modern {
			s.discovers = 1
		} else {
			s.shakes, s.trace[1] = 1, "no limit"
		}
		play(s)
	}
	require.Greater(t, count, 1000)
}
