package home

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/host"
)

type readState uint8

const (
	unread readState = iota
	looked           // its first and last line
	whole
)

// How many recordings one command reads: in well below 100 ms.
const (
	lookedAtOnce = 32
	wholeAtOnce  = 2
)

// reading is the progress of reading the recordings in the list. One command runs at
// a time: each reads a few recordings, those near the cursor first.
type reading struct {
	round int         // counts the lists that were loaded
	state []readState // of each item
	next  int         // the first and last lines of all items before it were read
	busy  bool
}

// read reads some more of the recordings, unless that is going on, until all were
// read in part, and those near the cursor as a whole.
func (v *View) read(c host.Context) tea.Cmd {
	if v.reading.busy || !slices.Contains(c.Host.Views(c.Workspace), host.View(v)) {
		return nil
	}
	batch, to := v.batch(c.Host.Screen().Height)
	if len(batch) == 0 {
		return nil
	}
	items := make([]host.Item, len(batch))
	for i, n := range batch {
		items[i] = v.found.Items[n]
	}
	v.reading.busy = true
	ctx, round := c.Host.Lifetime(), v.reading.round
	return func() tea.Msg {
		for i := range items {
			items[i] = v.launcher.Look(ctx, items[i], to == whole)
		}
		return host.Result{Then: func(c host.Context) tea.Cmd {
			if v.reading.round != round {
				return nil
			}
			v.reading.busy = false
			v.take(batch, items, to)
			c.Host.Redraw()
			return v.read(c)
		}}
	}
}

func (v *View) take(batch []int, items []host.Item, to readState) {
	for i, n := range batch {
		v.found.Items[n], v.reading.state[n] = items[i], to
		v.picker.Replace(n, items[i].Name, about(&items[i]))
	}
	if v.picker.Query != "" && to == looked {
		v.picker.Again()
	}
}

// batch returns the recordings to read next, and how much of them: a screen of them
// around the cursor, then the others.
func (v *View) batch(height int) (items []int, to readState) {
	shown := v.picker.Shown
	near := shown[max(v.picker.At-height, 0):min(v.picker.At+height, len(shown))]
	for to = looked; to <= whole; to++ {
		most := lookedAtOnce
		if to == whole {
			most = wholeAtOnce
		}
		for _, pick := range near {
			if len(items) < most && v.readable(pick.Item, to) {
				items = append(items, pick.Item)
			}
		}
		if len(items) > 0 {
			return items, to
		}
	}
	r := &v.reading
	for ; r.next < len(v.found.Items) && len(items) < lookedAtOnce; r.next++ {
		if v.readable(r.next, looked) {
			items = append(items, r.next)
		}
	}
	return items, looked
}

func (v *View) readable(item int, to readState) bool {
	return v.item(item).Kind == host.RecordingItem && v.reading.state[item] < to
}
