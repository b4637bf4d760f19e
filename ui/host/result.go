package host

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"
)

// A Result is the end of a command: a message for the user, and what follows.
type Result struct {
	What string // the attempt, for the message about Err
	Text string
	Err  error
	Then func(Context) tea.Cmd // called in Update, with the workspace that the command was about; nil for nothing
}

// Deliver shows the error or the text, and goes on with what follows.
func (r Result) Deliver(c Context) tea.Cmd {
	switch {
	case r.Err != nil && !errors.Is(r.Err, context.Canceled):
		c.Host.Warn(r.What + ": " + r.Err.Error())
	case r.Text != "":
		c.Host.Notify(r.Text)
	}
	if r.Then != nil {
		return r.Then(c)
	}
	return nil
}
