package link

import (
	"context"
	"errors"
	"time"

	"mcpdbg/session/executor"
)

// The clocks of a handshake: one for the key exchange, and one for the login, which is
// stopped until the host is verified. When either runs out, the wire is closed. Both are
// stopped during prompts.
type clocks struct {
	kex, login context.Context // which also end with the wire

	cancel               context.CancelCauseFunc
	stopKex, stopLogin   context.CancelFunc
	spareKex, spareLogin func() bool // the wire must not be closed any longer
	start                func()      // of the login's clock
}

func startClocks(ctx context.Context, w *wire, forKex, forLogin time.Duration) *clocks {
	var c clocks
	ctx, c.cancel = context.WithCancelCause(ctx)
	w.whenLost(func(cause *executor.LostError) { c.cancel(cause) })
	c.kex, c.stopKex = executor.WithPausableTimeout(ctx, forKex, errKexLate)
	c.login, c.stopLogin = executor.WithPausableTimeout(ctx, forLogin, errLoginLate)
	c.start = executor.Pause(c.login)
	closeWire := func() { _ = w.Close() }
	c.spareKex = context.AfterFunc(c.kex, closeWire)
	c.spareLogin = context.AfterFunc(c.login, closeWire)
	return &c
}

// verified stops the clock of the key exchange, and starts that of the login.
func (c *clocks) verified() {
	if c.spareKex() {
		c.stopKex()
	}
	c.start()
}

// finish returns an error if the login was too late.
func (c *clocks) finish() error {
	if !c.spareLogin() {
		return context.Cause(c.login)
	}
	return nil
}

// late returns the error of the clock that has run out, or nil.
func (c *clocks) late() error {
	for _, ctx := range []context.Context{c.kex, c.login} {
		if cause := context.Cause(ctx); errors.Is(cause, errKexLate) || errors.Is(cause, errLoginLate) {
			return cause
		}
	}
	return nil
}

func (c *clocks) stop() {
	c.spareKex()
	c.spareLogin()
	c.stopKex()
	c.stopLogin()
	c.cancel(context.Canceled)
}
