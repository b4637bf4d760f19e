package link

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"syscall"
	"time"

	"golang.org/x/crypto/ssh"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshconfig"
)

// A transport makes the connection at the end of a route. It returns a Conn that is
// served, with the function that releases its resources at its end.
type transport func(ctx context.Context, w *route, r Reporter) (*Conn, *executor.StartError)

func (d *Dialer) connect(ctx context.Context, w *route, r Reporter) (*Conn, *executor.StartError) {
	transports := map[string]transport{
		"":     d.connectAuto,
		Auto:   d.connectAuto,
		Native: d.connectNative,
		Master: d.connectMaster,
		Binary: d.connectBinary,
	}
	t, ok := transports[d.options.Transport]
	if !ok {
		err := fmt.Errorf("unknown transport %q", d.options.Transport)
		return nil, classify(&configError{err}, place{hop: hopName(w.last()), alias: w.last().Alias, phase: phaseResolve, begin: time.Now(), ctx: ctx})
	}
	return t(ctx, w, r)
}

// connectAuto connects through a running master, or else natively.
func (d *Dialer) connectAuto(ctx context.Context, w *route, r Reporter) (*Conn, *executor.StartError) {
	path := w.last().ControlPath
	conn, err := dialMaster(ctx, path)
	if err == nil {
		c, failure := d.connectSocket(ctx, w, r, func(context.Context) (*net.UnixConn, error) { return conn, nil })
		if failure == nil {
			return c, nil
		}
		_ = conn.Close() // if it has not come to that
		if ctx.Err() != nil {
			return nil, failure
		}
		err = failure.Err
	}
	c, failure := d.connectNative(ctx, w, r)
	if failure == nil && !isNoMaster(err) {
		c.notices = append(c.notices, executor.Notice{
			Code: "master.unused",
			Text: "connected without the master at " + path + ": " + err.Error(),
		})
	}
	return c, failure
}

var errNoControlPath = errors.New("the ssh configuration has no ControlPath for this host")

// isNoMaster reports whether an error of dialMaster means that no master runs.
func isNoMaster(err error) bool {
	return errors.Is(err, errNoControlPath) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED)
}

// An OpenSSH client is already connected.
func (d *Dialer) connectMaster(ctx context.Context, w *route, r Reporter) (*Conn, *executor.StartError) {
	return d.connectSocket(ctx, w, r, func(ctx context.Context) (*net.UnixConn, error) {
		return dialMaster(ctx, w.last().ControlPath)
	})
}

func (d *Dialer) connectSocket(ctx context.Context, w *route, r Reporter, dial func(context.Context) (*net.UnixConn, error)) (*Conn, *executor.StartError) {
	return d.connectAlone(ctx, w.last(), r, func(ctx context.Context, t *trace) (*Conn, *executor.StartError) {
		h := &hop{dialer: d, host: w.last(), name: hopName(w.last()), trace: t, release: func() {}}
		path := h.host.ControlPath
		step := t.begin(phaseConnect, h.name+" through the master at "+path)
		ctx, cancel := executor.WithPausableTimeout(ctx, h.connectTimeout(), errConnectLate)
		defer cancel()
		if h.host.NoConfig {
			return nil, h.fail(ctx, step, &configError{fmt.Errorf("the master's ControlPath: %w", sshconfig.ErrNeedsSSH)}, nil)
		}
		conn, err := dial(ctx)
		var c *Conn
		if err == nil {
			if c, err = h.control(ctx, &masterConn{UnixConn: conn, closed: make(chan struct{})}, Master); err != nil {
				_ = conn.Close() // at once: it has no channels
			}
		}
		if err != nil {
			return nil, h.fail(ctx, step, &masterError{path: path, err: err}, nil)
		}
		step.end("", nil)
		c.wire.setUnder(func() *executor.LostError {
			return &executor.LostError{
				Code: executor.LostClosed, Hop: h.name, After: time.Since(c.wire.opened), Err: errMasterEnded,
				Hint: "check whether the master has ended, or has lost its own connection",
			}
		})
		return c, nil
	})
}

var errMasterEnded = errors.New("the ssh master on this machine closed its side")

func dialMaster(ctx context.Context, path string) (*net.UnixConn, error) {
	if path == "" {
		return nil, errNoControlPath
	}
	if err := ownSocket(path); err != nil {
		return nil, err
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	return conn.(*net.UnixConn), nil
}

func (h *hop) control(ctx context.Context, conn net.Conn, transport string) (*Conn, error) {
	w := newWire(conn, h.name, false)
	w.alias = h.host.Alias
	stop := context.AfterFunc(ctx, func() { _ = w.Close() })
	sshConn, channels, requests, err := ssh.NewControlClientConn(w)
	if !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = w.Close()
		return nil, err
	}
	c := newConn(sshConn, w, h)
	if master, ok := conn.(*masterConn); ok {
		c.opens, c.release = &master.opens, master.wait
	}
	c.borrowed = true
	c.info = executor.LinkInfo{Transport: transport, Hops: []string{h.name}, Client: h.dialer.resolver.Version()}
	c.notices = h.ignored()
	c.serve(channels, requests)
	return c, nil
}
