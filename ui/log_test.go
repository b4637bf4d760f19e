package ui

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/kit"
)

var logTests = map[string]actionTest{
	actLogPanes: func(t *testing.T, d *driver, _ *fakeExecutor) {
		require.Contains(t, d.plain(), "v together")
		var kept []string
		d.opts.Keep = func(name, value string) error {
			kept = append(kept, name+"="+value)
			return nil
		}
		d.do(actStderr, actLogPanes)
		require.True(t, d.panes.layout.both)
		require.Contains(t, d.plain(), "v two panes")
		d.do(actLogPanes)
		require.False(t, d.panes.layout.both)
		require.Equal(t, []string{"log=together", "log=panes"}, kept)
		d.opts.Keep = func(string, string) error { return errors.New("disk full") }
		d.do(actLogPanes)
		require.Contains(t, d.plain(), "the choice is not kept: disk full")
	},
}

// saying answers calls after a line on stderr.
func saying(p *fakeProcess, m message) {
	if m.Method != "initialize" {
		p.Err("called " + m.Method)
	}
	echo(p, m)
}

// selectedLine returns the line under the cursor of the pane for stderr or events.
func (d *driver) selectedLine(id paneID) string {
	d.t.Helper()
	r := d.panes.layout.pane[id].Body()
	for _, line := range d.rows()[r.Y : r.Y+r.H] {
		if text := []rune(line)[r.X : r.X+r.W]; text[0] == '>' {
			return strings.Join(strings.Fields(string(text)), " ")
		}
	}
	return ""
}

// TestLogAtTheMoment checks that the log goes to the moment of the selected row, that it
// moves alone with the focus, and that it returns.
func TestLogAtTheMoment(t *testing.T) {
	for _, width := range []int{200, 120} {
		inBubble(t, width, 36, saying, func(t *testing.T, d *driver, _ *fakeExecutor) {
			for _, name := range []string{"one", "two", "three"} {
				d.send(`{"jsonrpc":"2.0","id":"` + name + `","method":"` + name + `"}`)
				d.hear()
				time.Sleep(time.Second) // a line soon after the response would be at its moment
			}
			d.do(actTraffic, kit.Bottom)
			require.Contains(t, d.plain(), "at the end")
			require.Empty(t, d.selectedLine(stderrID))
			d.selects(`"method":"two"`)
			require.Contains(t, d.plain(), "at the selected row")
			row, _ := d.visible.rows.Stderr.Cursor()
			require.Contains(t, d.selectedLine(stderrID), "called two")
			require.Contains(t, d.selectedLine(eventsID), "ready", "the last event before it")
			d.do(actStderr, kit.Bottom)
			require.Contains(t, d.selectedLine(stderrID), "called three")
			d.pull()
			require.Contains(t, d.selectedLine(stderrID), "called three", "with the focus it moves alone")
			d.do(actTraffic)
			now, _ := d.visible.rows.Stderr.Cursor()
			require.Equal(t, row, now)
		})
	}
}

// TestLogDigits checks that a digit focuses, then shows its source alone, then both again.
func TestLogDigits(t *testing.T) {
	for _, size := range [][2]int{{200, 60}, {120, 36}, {120, 30}, {80, 24}, {60, 20}} {
		inBubble(t, size[0], size[1], saying, func(t *testing.T, d *driver, _ *fakeExecutor) {
			press := func(key rune) string {
				d.take(tea.KeyPressMsg{Code: key, Text: string(key)})
				requireExact(t, d.content(), size[0], size[1])
				return d.plain()
			}
			before := d.plain()
			focused := press('4')
			require.Contains(t, focused, "5 events", size)
			alone := press('4')
			require.Contains(t, alone, "4 stderr", size)
			require.NotContains(t, alone, "5 events", size)
			require.NotContains(t, alone, "2 Calls", size)
			require.Contains(t, press('5'), "5 events", size)
			require.NotContains(t, d.plain(), "4 stderr", size)
			press('4')
			require.Equal(t, focused, press('4'), size)
			press('4')
			d.do("back")
			require.Equal(t, before, press('2'), size)
		})
	}
}

// TestLogTogether checks that one pane has both sources in time order, and that its find
// goes through both.
func TestLogTogether(t *testing.T) {
	inBubble(t, 120, 30, saying, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":1,"method":"one"}`)
		d.hear()
		all := d.visible.rows.Log.All()
		require.True(t, slices.IsSorted(all))
		require.Len(t, all, d.visible.rows.Stderr.Len()+d.visible.rows.Events.Len())
		require.Contains(t, d.plain(), "stderr  called one")
		d.do(actStderr)
		for _, text := range []string{"called", "state", "ready"} {
			d.search1(text, kit.Top)
			require.Contains(t, d.selectedLine(stderrID), text)
		}
	})
}

// TestLogOpensAtTheMoment checks that on a small screen the log is a line, unless it has
// the focus or a line at the moment of the selected row.
func TestLogOpensAtTheMoment(t *testing.T) {
	inBubble(t, 80, 24, except("quiet", saying), func(t *testing.T, d *driver, _ *fakeExecutor) {
		open := func() bool { return d.panes.layout.log.Empty() }
		require.True(t, open(), "nothing is selected")
		d.send(`{"jsonrpc":"2.0","method":"notifications/none"}`)
		d.send(`{"jsonrpc":"2.0","id":1,"method":"loud"}`)
		d.hear()
		d.selects(`"method":"loud"`)
		require.True(t, open())
		d.selects(`notifications/none`)
		require.Contains(t, d.plain(), "4 stderr")
		d.do(actEvents)
		require.True(t, open())
	})
}

// TestLogTimes checks that the times of the log are in the form of those of the calls.
func TestLogTimes(t *testing.T) {
	inBubble(t, 120, 36, saying, func(t *testing.T, d *driver, _ *fakeExecutor) {
		d.send(`{"jsonrpc":"2.0","id":"one","method":"one"}`)
		began := d.visible.ws.Shown.Source.Header().Start.Local().Format("15:04:05.000")
		d.do(actStderr, kit.Bottom, "time-clock")
		require.Contains(t, d.selectedLine(stderrID), " "+began+" called one")
		d.do("time-clock", actTraffic, kit.Bottom, "time-zero", actStderr, kit.Bottom)
		require.Contains(t, d.selectedLine(stderrID), " +0:00.00 called one")
	})
}
