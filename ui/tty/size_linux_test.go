package tty

import (
	"context"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestLatestSize checks that a size that arrives late does not undo a later change.
func TestLatestSize(t *testing.T) {
	tty, p := openPTY(t)
	filter := LatestSize(tty.out)
	late := tea.WindowSizeMsg{Width: 20, Height: 5}
	require.Equal(t, late, filter(nil, late), "this terminal has no size yet")
	require.NoError(t, unix.IoctlSetWinsize(int(p.keys.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: 120, Row: 36}))
	require.Equal(t, tea.WindowSizeMsg{Width: 120, Height: 36}, filter(nil, late))
	require.Equal(t, tea.FocusMsg{}, filter(nil, tea.FocusMsg{}))
}

// TestOnResize checks that a change is reported that comes right after the call, and that
// listening ends with the context.
func TestOnResize(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	changes := make(chan struct{}, 1)
	listen := OnResize(ctx, func() { changes <- struct{}{} })
	require.NoError(t, unix.Kill(unix.Getpid(), unix.SIGWINCH))
	ended := make(chan struct{})
	go func() { listen(); close(ended) }()
	<-changes
	cancel()
	<-ended
}
