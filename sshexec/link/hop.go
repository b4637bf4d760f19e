package link

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshauth"
	"mcpdbg/sshexec/sshconfig"
)

const (
	// droppedRetries is how often a connection is retried that the server closed before
	// its version line, as sshd does when there are too many logins at once
	// (MaxStartups). No other failure of a handshake is retried.
	droppedRetries = 3
	// The delay between the first two attempts, doubled each time; random, so
	// that many dials do not retry together.
	minRetryWait = 200 * time.Millisecond
	maxRetryWait = time.Second
	// connectWait is the delay between two ConnectionAttempts, as in ssh.
	connectWait = time.Second
)

var (
	errConnectLate = errors.New("no connection in time")
	errKexLate     = errors.New("the key exchange took too long")
	errLoginLate   = errors.New("the login took too long")
	errProgramLate = errors.New("ssh did not connect or log in")
)

// A hop is one host on the way to the destination.
type hop struct {
	dialer  *Dialer
	host    *sshconfig.Host
	name    string // user@host:port
	jump    bool   // on the route to the destination
	via     *Conn  // the previous hop; nil: from this machine
	trace   *trace
	why     string            // reason for a second login, shown in prompts
	release func()            // releases via, once the connection has ended
	dropped []executor.Notice // that the server closed before this one
	program string            // version of the ssh program that was started to connect
	proxied bool              // that program runs the ProxyCommand of the host
}

func hopName(h *sshconfig.Host) string {
	return h.User + "@" + net.JoinHostPort(h.HostName, strconv.Itoa(h.Port))
}

// connect retries if the server is too busy for a version line, and then lowers the
// number of handshakes.
func (h *hop) connect(ctx context.Context) (*Conn, *executor.StartError) {
	for try := 0; ; try++ {
		c, err := h.connectOnce(ctx)
		switch {
		case err == nil:
			c.notices = append(c.notices, h.dropped...)
			return c, nil
		case err.Code != executor.NetDroppedEarly || try == droppedRetries:
			return nil, err
		}
		h.slowDown(time.Now().Add(-err.Elapsed), try+1)
		if h.pause(ctx, h.dialer.jitter.between(h.server(), minRetryWait<<try, maxRetryWait<<try)) != nil {
			return nil, err
		}
	}
}

// The server dropped the handshake that began at that time.
func (h *hop) slowDown(began time.Time, drops int) {
	limit := h.dialer.servers.lower(h.server(), began)
	h.dropped = []executor.Notice{{Code: "net.dropped", Text: fmt.Sprintf(
		"%s closed %s before its version line, as sshd does when there are too many logins at once (MaxStartups): limited to %[4]d at a time for %[3]v",
		h.address(), times(drops), lowTime, limit)}}
}

func (h *hop) pause(ctx context.Context, d time.Duration) error {
	step := h.trace.begin(phaseWait, fmt.Sprintf("%v before retrying %s", d.Round(time.Millisecond), h.address()))
	defer h.trace.pause()()
	err := h.dialer.wait(ctx, d)
	step.end("", err)
	return err
}

func times(n int) string {
	if n == 1 {
		return "a connection"
	}
	return fmt.Sprintf("%d connections", n)
}

func (h *hop) connectOnce(ctx context.Context) (*Conn, *executor.StartError) {
	leave, failure := h.awaitServer(ctx)
	if failure != nil {
		return nil, failure
	}
	defer leave()
	step := h.trace.begin(phaseConnect, h.route())
	conn, err := h.reach(ctx)
	if err != nil {
		return nil, h.fail(ctx, step, err, nil)
	}
	step.end("", nil)
	w := newWire(conn, h.name, true)
	w.alias = h.host.Alias
	if p, ok := conn.(*proxy); ok {
		w.setUnder(func() *executor.LostError { return p.lost(h.name, time.Since(w.opened)) })
	}
	if h.via != nil {
		w.setUnder(func() *executor.LostError { return saidByJump(h.via.Cause()) })
	}
	return h.handshake(ctx, w)
}

func (h *hop) route() string {
	switch {
	case h.via != nil:
		return h.name + " through " + h.via.hop
	case h.host.ProxyCommand != "":
		return h.name + " with its ProxyCommand"
	}
	return h.name
}

func (h *hop) connectTimeout() time.Duration {
	switch {
	case h.dialer.options.ConnectTimeout > 0:
		return h.dialer.options.ConnectTimeout
	case h.host.ConnectTimeout > 0:
		return h.host.ConnectTimeout
	}
	return DefaultConnectTimeout
}

func (h *hop) authTimeout() time.Duration {
	if h.dialer.options.AuthTimeout > 0 {
		return h.dialer.options.AuthTimeout
	}
	return DefaultAuthTimeout
}

func (h *hop) reach(ctx context.Context) (net.Conn, error) {
	if h.via == nil && h.host.ProxyCommand != "" {
		p, err := newProxy(h.host.ProxyCommand)
		if err != nil {
			return nil, &proxyError{err: err}
		}
		return p, nil
	}
	for try := 1; ; try++ {
		conn, err := h.reachOnce(ctx)
		if err == nil || try >= h.host.ConnectionAttempts || !worthAnother(err) {
			return conn, err
		}
		if h.dialer.wait(ctx, connectWait) != nil {
			return nil, err
		}
	}
}

func (h *hop) reachOnce(ctx context.Context) (net.Conn, error) {
	ctx, cancel := executor.WithPausableTimeout(ctx, h.connectTimeout(), errConnectLate)
	defer cancel()
	conn, err := h.open(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("%w after %v", context.Cause(ctx), h.connectTimeout())
	}
	return conn, err
}

func (h *hop) open(ctx context.Context) (net.Conn, error) {
	if h.via != nil {
		payload := ssh.Marshal(struct {
			Host       string
			Port       uint32
			Originator string
			OriginPort uint32
		}{h.host.HostName, uint32(h.host.Port), "127.0.0.1", 0})
		channel, requests, err := h.via.open(ctx, "direct-tcpip", payload)
		if err != nil {
			return nil, &tunnelError{via: h.via, err: err}
		}
		return newTunnel(channel, requests, &h.via.tasks), nil
	}
	network := "tcp"
	switch h.host.AddressFamily {
	case "inet":
		network = "tcp4"
	case "inet6":
		network = "tcp6"
	}
	dialer := net.Dialer{KeepAliveConfig: kernelKeepalive}
	if h.host.BindAddress != "" {
		local, err := net.ResolveTCPAddr(network, net.JoinHostPort(h.host.BindAddress, "0"))
		if err != nil {
			return nil, fmt.Errorf("BindAddress %s: %w", h.host.BindAddress, err)
		}
		dialer.LocalAddr = local
	}
	return h.dialer.dialTCP(ctx, &dialer, network, h.address())
}

// handshake verifies the host and logs in. It owns w until it has succeeded.
func (h *hop) handshake(ctx context.Context, w *wire) (*Conn, *executor.StartError) {
	step := h.trace.begin(phaseHostKey, h.name)
	fail := func(err error) (*Conn, *executor.StartError) {
		_ = w.Close()
		return nil, h.fail(ctx, step, err, w)
	}
	config := &ssh.ClientConfig{User: h.host.User}
	notices, err := algorithms(h.host, &config.Config)
	if err != nil {
		return fail(err)
	}

	clocks := startClocks(ctx, w, h.connectTimeout(), h.authTimeout())
	defer clocks.stop()
	prompter := newAsker(h.dialer.options.Prompter, h.trace, h.why)
	verifier := newVerifier(clocks.kex, &h.dialer.records, h.host, h.name)
	verifier.prompter, verifier.policy = prompter, h.dialer.options.newKeyPolicy(h.host)
	verifier.apply(config)
	auth := sshauth.New(clocks.login, sshauth.Options{Host: h.host, Hop: h.name, Prompter: prompter})
	defer auth.Close()
	auth.Apply(config)
	method := noteMethod(config)
	var banner tail
	config.BannerCallback = func(text string) error {
		_, _ = banner.Write([]byte(text))
		return nil
	}
	// Called on a goroutine of x/crypto, which the login waits for.
	verifier.verified = func(key ssh.PublicKey) {
		step.end(keyText(key), nil)
		step = h.trace.begin(phaseLogin, h.name)
		clocks.verified()
	}

	conn, channels, requests, err := ssh.NewClientConn(w, w.hop, config)
	if err == nil {
		err = clocks.finish()
	}
	if err != nil {
		switch {
		case clocks.late() != nil:
			err = clocks.late()
		case verifier.err != nil:
			err = verifier.err
		case verifier.key != nil:
			err = &loginError{failure: auth.Explain(err), banner: banner.String(), err: err}
		}
		return fail(err)
	}
	step.end(h.name+" with "+*method, nil)
	c := newConn(conn, w, h)
	c.info = describe(conn)
	c.notices = append(append(h.ignored(), notices...), verifier.notices...)
	if text := banner.String(); text != "" {
		banner := executor.Notice{Code: "login.banner", Text: "the server sent a message", Said: text}
		if h.jump {
			banner.Text, banner.SaidBy = "the jump host sent a message", executor.SpeakerJump
		}
		c.notices = append(c.notices, banner)
	}
	c.serve(channels, requests)
	return c, nil
}

// noteMethod makes c record the method that it tries, for display. x/crypto has names for
// the methods, but does not export them.
func noteMethod(c *ssh.ClientConfig) *string {
	method, choose := new(string), c.AuthCallback
	*method = "no proof" // the server required none
	c.AuthCallback = func(ctx *ssh.ClientAuthContext) (ssh.AuthMethod, error) {
		m, err := choose(ctx)
		kind := strings.ToLower(fmt.Sprintf("%T", m))
		for name, sign := range map[string]string{"publickey": "publickey", "password": "password", "keyboard-interactive": "keyboard"} {
			if strings.Contains(kind, sign) {
				*method = name
			}
		}
		return m, err
	}
	return method
}

func keyText(key ssh.PublicKey) string { return key.Type() + " " + ssh.FingerprintSHA256(key) }

// ignored returns notices about files that were not read, and settings that are in effect
// and not honoured.
func (h *hop) ignored() []executor.Notice {
	var notices []executor.Notice
	if len(h.host.Unread) > 0 {
		notices = append(notices, executor.Notice{
			Code: "config.unread",
			Text: fmt.Sprintf("%s was not read: %v", strings.Join(h.host.Unread, " and "), sshconfig.ErrNeedsSSH),
		})
	}
	for _, setting := range h.host.Ignored {
		notices = append(notices, executor.Notice{Code: "config.ignored", Text: h.host.Alias + ": " + setting + " is not honoured"})
	}
	return notices
}

func describe(conn ssh.Conn) executor.LinkInfo {
	info := executor.LinkInfo{Transport: Native, Server: string(conn.ServerVersion())}
	if meta, ok := conn.(ssh.AlgorithmsConnMetadata); ok {
		a := meta.Algorithms()
		info.Kex, info.HostKey, info.Cipher, info.MAC = a.KeyExchange, a.HostKey, a.Read.Cipher, a.Read.MAC
	}
	return info
}
