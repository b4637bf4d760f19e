package traffic

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/termsafe"
)

// TestHours checks that a log of several hours has room for the hours.
func TestHours(t *testing.T) {
	var f timeForm
	require.False(t, f.widen(time.Hour.Microseconds()-1))
	require.True(t, f.widen(time.Hour.Microseconds()))
	require.False(t, f.widen(2*time.Hour.Microseconds()))
	for _, f := range []timeForm{{long: true}, {long: true, reference: true, zero: 1}, {wall: true}} {
		text := f.append(nil, 36*time.Hour.Microseconds(), time.Now())
		require.LessOrEqual(t, len(text), f.columns()[colTime].Min+1, string(text))
	}
}

// TestLens checks that interleaved rows, and rows that a filter names, are
// listed.
func TestListing(t *testing.T) {
	for _, tc := range []struct {
		view   View
		filter string
		lists  map[session.Kind]bool
	}{
		{Wire, "", map[session.Kind]bool{session.KindStdin: true, session.KindStdout: true, session.KindStderr: false, session.KindGap: false}},
		{Exchanges, "", map[session.Kind]bool{session.KindStdout: true, session.KindStderr: false, session.KindGap: false}},
		{All, "", map[session.Kind]bool{session.KindStdout: true, session.KindStderr: true, session.KindGap: true}},
		{Wire, "kind:gap or err", map[session.Kind]bool{session.KindStdout: true, session.KindStderr: false, session.KindGap: true}},
		{Wire, "kind:stderr", map[session.Kind]bool{session.KindStderr: true, session.KindGap: false}},
	} {
		l := listing{tc.view, parsed(t, tc.filter)}
		for kind, want := range tc.lists {
			require.Equal(t, want, l.lists(kind), "%v %s", tc, kind)
		}
	}
}

func TestShareRoom(t *testing.T) {
	for _, tc := range []struct {
		a, b, wantA, wantB string
		room               int
	}{
		{"kind:request", "text", "kind:request", "text", 20},
		{"kind:request", "text", "kind:r…", "text", 11},
		{"kind:request", "some longer text", "kind:req…", "some lon…", 18},
		{"kind:request", "text", "kind:…", "text", -5},
		{"", "some longer text", "", "some longer text", 16},
	} {
		a, b := shareRoom(tc.a, tc.b, tc.room, termsafe.Ellipsis)
		require.Equal(t, []string{tc.wantA, tc.wantB}, []string{a, b}, "%+v", tc)
	}
}

// TestFilterReadsInSteps checks that a step reads no more than its limit.
func TestFilterReadsInSteps(t *testing.T) {
	log, err := recordings.Create(recordings.Options{NoRecord: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, log.Release()) })
	for range 20 {
		payload := fmt.Appendf(nil, `{"method":"m","params":"%s"}`, strings.Repeat("0", stepBytes/2))
		require.NoError(t, log.Append([]session.Entry{{Kind: session.KindStdout, Payload: payload, Msg: framing.Scan(payload)}}))
	}
	for text, want := range map[string]struct{ rows, steps int }{"/[v-z]/": {6, 3}, "x": {20, 2}} { // a text search costs less
		s := newScan(1, log, listing{filter: parsed(t, text)}, want.rows)
		steps := 0
		for !s.done(want.rows) {
			s.step(want.rows)()
			steps++
		}
		require.Equal(t, want.steps, steps, text)
	}
}

func parsed(t *testing.T, text string) *filter.Filter {
	t.Helper()
	f, err := filter.Parse(text)
	require.NoError(t, err)
	return f
}

// TestOneFormOfTimes checks that the events have times in the form of the screen.
func TestOneFormOfTimes(t *testing.T) {
	for _, us := range []int64{250, 1_000, 30_151, 1_500_000, 6_560_236, 75_000_000} {
		e := session.NewEntry(session.KindPhase, 0, session.PhaseBody{Phase: "initialize", Took: us})
		require.Equal(t, "initialize "+wording.Took(us), session.Describe(&e))
	}
}
