package link

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"golang.org/x/crypto/ssh"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshconfig"
)

// A transport makes the connection that a way leads to. What it returns is an
// ssh.Conn that is served, with what has to be let go of when it has ended.
type transport func(ctx context.Context, w *way, r Reporter) (*Conn, *executor.StartError)

// connect connects by the transport of the options.
func (d *Dialer) connect(ctx context.Context, w *way, r Reporter) (*Conn, *executor.StartError) {
	transports := map[string]transport{
		"":     d.connectAuto,
		Auto:   d.connectAuto,
		Native: d.connectNative,
		Master: d.connectMaster,
		Binary: d.connectBinary,
	}
	t, ok := transports[d.options.Transport]
	if !ok {
		err := fmt.Errorf("no transport is called %q", d.options.Transport)
		return nil, classify(&configError{err}, place{hop: hopName(w.last()), phase: phaseResolve, begin: time.Now(), ctx: ctx})
	}
	return t(ctx, w, r)
}

// connectAuto goes through a master that answers, and else natively.
func (d *Dialer) connectAuto(ctx context.Context, w *way, r Reporter) (*Conn, *executor.StartError) {
	conn, err := dialMaster(ctx, w.last().ControlPath)
	if err != nil {
		return d.connectNative(ctx, w, r)
	}
	_ = conn.Close() // it was only to see whether somebody is there
	c, failure := d.connectMaster(ctx, w, r)
	if failure != nil && ctx.Err() == nil {
		return d.connectNative(ctx, w, r) // it is there, and no master
	}
	return c, failure
}

var errNoControlPath = errors.New("the ssh configuration names no ControlPath for this host")

// connectMaster goes through an OpenSSH client that is connected already.
func (d *Dialer) connectMaster(ctx context.Context, w *way, r Reporter) (*Conn, *executor.StartError) {
	return d.connectAlone(ctx, hopName(w.last()), r, func(ctx context.Context, t *trace) (*Conn, *executor.StartError) {
		h := &hop{dialer: d, host: w.last(), name: hopName(w.last()), trace: t, release: func() {}}
		path := h.host.ControlPath
		step := t.begin(phaseConnect, h.name+" through the master at "+path)
		ctx, cancel := executor.WithPatience(ctx, h.connectTimeout(), errConnectLate)
		defer cancel()
		if h.host.NoConfig {
			failure := h.classify(ctx, step, &configError{fmt.Errorf("the master's ControlPath: %w", sshconfig.ErrNeedsSSH)}, nil)
			step.end("", failure)
			return nil, failure
		}
		conn, err := dialMaster(ctx, path)
		var c *Conn
		if err == nil {
			c, err = h.control(ctx, conn, Master)
		}
		if err != nil {
			failure := h.classify(ctx, step, &masterError{path: path, err: err}, nil)
			step.end("", failure)
			return nil, failure
		}
		step.end("", nil)
		c.wire.setUnder(func() *executor.LostError {
			return &executor.LostError{
				Code: executor.LostClosed, Hop: h.name, After: time.Since(c.wire.opened), Err: errMasterEnded,
				Hint: "the master may have ended, or lost its own connection",
			}
		})
		return c, nil
	})
}

var errMasterEnded = errors.New("the ssh master on this machine closed its side")

// dialMaster connects to the socket of a master.
func dialMaster(ctx context.Context, path string) (net.Conn, error) {
	if path == "" {
		return nil, errNoControlPath
	}
	if err := ownSocket(path); err != nil {
		return nil, err
	}
	var d net.Dialer
	return d.DialContext(ctx, "unix", path)
}

// control speaks to a master over conn, which it takes over.
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
	c.borrowed = true
	c.info = executor.LinkInfo{Transport: transport, Hops: []string{h.name}, Client: h.dialer.resolver.Version()}
	c.notices = h.ignored()
	c.serve(channels, requests)
	return c, nil
}
