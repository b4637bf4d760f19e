package link

import (
	"context"
	"errors"
	"time"

	"mcpdbg/session/executor"
)

// The clocks of a handshake: one for the key exchange, and one for the login,
// which stands still until the host is verified. When either has run down the
// wire is closed. Both stand still while a person is asked.
type clocks struct {
	kex, login context.Context // which also end with the wire

	cancel               context.CancelCauseFunc
	stopKex, stopLogin   context.CancelFunc
	spareKex, spareLogin func() bool // the wire is not to be closed any more
	start                func()      // of the login's clock
}

func startClocks(ctx context.Context, w *wire, forKex, forLogin time.Duration) *clocks {
	var c clocks
	ctx, c.cancel = context.WithCancelCause(ctx)
	go func() {
		select {
		case <-w.gone:
			c.cancel(w.cause.Load())
		case <-ctx.Done():
		}
	}()
	c.kex, c.stopKex = executor.WithPatience(ctx, forKex, errKexLate)
	c.login, c.stopLogin = executor.WithPatience(ctx, forLogin, errLoginLate)
	c.start = executor.Pause(c.login)
	closeWire := func() { _ = w.Close() }
	c.spareKex = context.AfterFunc(c.kex, closeWire)
	c.spareLogin = context.AfterFunc(c.login, closeWire)
	return &c
}

// verified stops the clock of the key exchange, and starts the one of the login.
func (c *clocks) verified() {
	if c.spareKex() {
		c.stopKex()
	}
	c.start()
}

// finish says that the login has succeeded, unless that was too late.
func (c *clocks) finish() error {
	if !c.spareLogin() {
		return context.Cause(c.login)
	}
	return nil
}

// late is which clock has run down, nil if none has.
func (c *clocks) late() error {
	for _, ctx := range []context.Context{c.kex, c.login} {
		if cause := context.Cause(ctx); errors.Is(cause, errKexLate) || errors.Is(cause, errLoginLate) {
			return cause
		}
	}
	return nil
}

// stop ends both clocks.
func (c *clocks) stop() {
	c.spareKex()
	c.spareLogin()
	c.stopKex()
	c.stopLogin()
	c.cancel(context.Canceled)
}
