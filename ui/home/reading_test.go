package home

import (
	"context"
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/uitest"
	"mcpdbg/ui/workspace"
)

// A shelf has many recordings, and counts how they are read.
type shelf struct {
	host.Launcher
	n             int
	looked, whole []string
}

func (s *shelf) Home(context.Context) (host.Home, error) {
	var home host.Home
	for i := range s.n {
		home.Items = append(home.Items, host.Item{Kind: host.RecordingItem, Key: fmt.Sprint(i), Name: "npx", When: time.Now()})
	}
	return home, nil
}

func (s *shelf) Look(_ context.Context, item host.Item, whole bool) host.Item {
	item.Name = "server " + item.Key
	if whole {
		s.whole = append(s.whole, item.Key)
		item.Verdict = host.VerdictOK
	} else {
		s.looked = append(s.looked, item.Key)
	}
	return item
}

// TestReadsWhatIsVisibleFirst checks that the list is there before a recording is
// read, that commands read few of them, and that only those near the cursor are read
// as a whole.
func TestReadsWhatIsVisibleFirst(t *testing.T) {
	s := &shelf{n: 3000}
	h := uitest.NewHost(t, uitest.NewWorkspace(t, workspace.NoSource()), 100, 30)
	v := New(s)
	h.Opened = []host.View{v}
	step := func(cmd tea.Cmd) tea.Cmd { return cmd().(host.Result).Deliver(h.Context()) }

	next := step(v.Load(h.Context()))
	require.Empty(t, s.looked, "the list needs no file")
	require.Contains(t, h.Plain(v), "3000 of 3000")
	next = step(next)
	require.Len(t, s.looked, 30, "a screen")
	require.Empty(t, s.whole)
	require.Contains(t, h.Plain(v), "server 3 ")
	next = step(next)
	require.Len(t, s.whole, wholeAtOnce)
	require.Contains(t, h.Plain(v), host.VerdictOK)
	for len(s.whole) < 30 {
		next = step(next)
	}
	require.Len(t, s.looked, 30, "the others come later")
	next = step(next)
	require.Len(t, s.looked, 30+lookedAtOnce)

	v.picker.At = 2000
	next = step(step(next))
	require.Contains(t, s.looked, "2000", "what is visible now comes first")
	for next != nil {
		next = step(next)
	}
	require.Len(t, s.looked, 3000)
	require.Len(t, s.whole, 90, "only near the cursor")
	require.Nil(t, v.Move(h.Context(), kit.Down)().(host.Result).Then(h.Context()))
	require.Len(t, s.whole, 91)

	h.Run(v.Update(h.Context(), tea.PasteMsg{Content: "server 29"}))
	require.Contains(t, h.Plain(v), "server 29 ", "found by what was read")
	h.Opened = nil
	require.Nil(t, v.read(h.Context()), "nothing is read for a closed list")
}
