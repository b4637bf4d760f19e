package ui

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/traffic"
	"mcpdbg/ui/widget/filter"
)

// inExchanges shows a session in many states, as it starts.
var inExchanges = inStates(func(*driver, *fakeExecutor) {})

// TestExchangeFrames shows exchanges in many states.
func TestExchangeFrames(t *testing.T) {
	requireFrames(t, "exchanges", true, inExchanges)
}

// TestExchangeShowsItsResponse checks that the detail of an exchange is its
// response, and that the key for the partner goes to the request and back.
func TestExchangeShowsItsResponse(t *testing.T) {
	inExchanges(t, func(d *driver) {
		d.do(kit.Top, kit.Down)
		require.Contains(t, d.plain(), "3 tools/list · 11 ms")
		d.do(actPartner)
		require.Contains(t, d.plain(), "3 tools/list · request")
		require.Equal(t, 1, d.visible.rows.Traffic.Listed().Position(d.cursor()), "the same exchange")
		d.do(actPartner)
		require.Contains(t, d.plain(), "3 tools/list · 11 ms")
		d.do(kit.Down, kit.Up)
		require.Contains(t, d.plain(), "3 tools/list · 11 ms")
	})
}

// TestViewsKeepTheSelection checks that the selected message stays selected while
// the view changes.
func TestViewsKeepTheSelection(t *testing.T) {
	inExchanges(t, func(d *driver) {
		d.do(kit.Top, kit.Down)
		detail := d.visible.ws.Viewed.Number
		for _, title := range []string{"2 Messages ", "2 All ", "2 Calls "} {
			d.do("timeline")
			require.Contains(t, d.plain(), title)
			require.Equal(t, detail, d.visible.ws.Viewed.Number, title)
		}
		d.do(host.ActOpen)
		require.True(t, d.panes.zoom, "enter opens an exchange")
	})
}

func parse(t testing.TB, text string) *filter.Filter {
	t.Helper()
	f, err := filter.Parse(text)
	require.NoError(t, err)
	return f
}

// repainted returns the screen after all panes were repainted, which is necessary
// because the driver calls panes directly.
func (d *driver) repainted() string {
	d.canvas.markAll()
	return d.plain()
}

// TestSlowestCall checks that the slowest call is found with three keys.
func TestSlowestCall(t *testing.T) {
	inBubble(t, 120, 36, nil, func(t *testing.T, d *driver, x *fakeExecutor) {
		answersAfter(d, x, 20*time.Millisecond, 3*time.Second, 10*time.Millisecond)
		d.write("tvvs")
		require.Equal(t, d.row(`"id":1,"result"`), d.viewed())
		require.Equal(t, traffic.Scope, d.visible.scope())
	})
}
