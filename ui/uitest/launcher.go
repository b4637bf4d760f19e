package uitest

import (
	"context"
	"testing"

	"mcpdbg/ui/host"
	"mcpdbg/ui/workspace"
)

// A Launcher opens sessions with servers that echo, and has one item of each kind.
type Launcher struct {
	T      testing.TB
	Found  host.Home // SomeItems if it has no items
	Closed int       // how many sessions were closed
	Reruns []host.Rerun
	Serve  func(*Process, Message) // of restarted recordings
}

// Home implements host.Launcher.
func (l *Launcher) Home(context.Context) (host.Home, error) {
	if l.Found.Items == nil {
		l.Found = SomeItems()
	}
	return l.Found, nil
}

// Look implements host.Launcher.
func (*Launcher) Look(_ context.Context, item host.Item, whole bool) host.Item {
	return Look(item, whole)
}

// Wrap implements host.Wrapper.
func (*Launcher) Wrap(_ context.Context, item host.Item, write bool) (string, error) {
	if write {
		return "wrapped " + item.Name, nil
	}
	return "- " + item.Command + "\n+ mcpdbg tap -- " + item.Command, nil
}

// Open implements host.Launcher.
func (l *Launcher) Open(_ context.Context, item host.Item, _ map[string]string) (workspace.Opened, error) {
	s := NewSession(l.T, &Server{Serve: Echo})
	return workspace.Opened{Session: s, Title: item.Name + " (local)", Start: s.Open, Close: func(ctx context.Context) error {
		l.Closed++
		_, err := s.Close(ctx)
		return err
	}}, nil
}

// Again implements host.Launcher.
func (l *Launcher) Again(_ context.Context, again host.Rerun) (workspace.Opened, error) {
	l.Reruns = append(l.Reruns, again)
	s := NewSessionWith(l.T, &Server{Serve: l.Serve}, NewLog(l.T), again.Configure)
	return workspace.Opened{Session: s, Title: "replay of fake (local)", Start: s.Open}, nil
}
