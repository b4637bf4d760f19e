package link

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/crypto/ssh"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/knownhosts"
	"mcpdbg/sshexec/sshauth"
	"mcpdbg/sshexec/sshconfig"
)

type place struct {
	hop   string
	alias string // of hop, as typed
	phase string
	begin time.Time
	limit time.Duration // for the key exchange
	ctx   context.Context
	wire  *wire               // in a handshake
	lost  *executor.LostError // of the established connection
	// the version of the local ssh program, if it was run for this phase
	client string
}

// classify turns any failure into an error for the user: a code, what the other side
// sent, and a hint. No other file does.
func classify(err error, p place) *executor.StartError {
	var done *executor.StartError
	if errors.As(err, &done) {
		return done
	}
	e := &executor.StartError{Hop: p.hop, Alias: p.alias, Phase: p.phase, Client: p.client, Err: err}
	for _, class := range []func(*executor.StartError, place) bool{
		isLate, isCancelled, isResolution, isHostKey, isProgram, isTunnel, isGreeting, isAlgorithms, isLogin, isChannel, isNetwork,
	} {
		if class(e, p) {
			break
		}
	}
	if e.Code == "" {
		e.Code = map[string]executor.StartCode{
			phaseResolve: executor.ResolveConfig,
			phaseConnect: executor.NetUnreachable,
			phaseOpen:    executor.ChanLimit,
		}[p.phase]
	}
	if e.Code == "" {
		e.Code = executor.NetLost
	}
	if e.Said == "" && p.proxy() != nil {
		e.Said, e.SaidBy = p.said()
	}
	e.Said = e.Said[:min(len(e.Said), maxSaid)]
	e.Elapsed = time.Since(p.begin)
	return e
}

// w is the wire of the handshake, if it came that far.
func (h *hop) fail(ctx context.Context, s *step, err error, w *wire) *executor.StartError {
	e := classify(err, place{
		hop: h.name, alias: h.host.Alias, phase: s.phase.Name, begin: s.phase.Begin, limit: h.connectTimeout(), ctx: ctx, wire: w,
		client: h.program,
	})
	switch {
	case e.Code == executor.HostKeyUnknown && h.host.StrictHostKeyChecking == "no":
		e.Hint = hintUnchecked + "\n" + e.Hint
	case e.Code == executor.NetTimeout && h.proxied && strings.Contains(e.Said, noBanner):
		set(e, executor.NetProxy, hintProxy, fmt.Errorf("the ProxyCommand %s did not connect within %s", quoteCommand(h.host.ProxyCommand), seconds(h.connectTimeout())))
	case e.Code == executor.NetTimeout && h.proxied:
		e.Hint = hintProxy
	}
	if h.jump && e.Code != executor.StartCancelled {
		e.Err = fmt.Errorf("at the jump host: %w", e.Err)
	}
	if h.jump && e.Said != "" && e.SaidBy == executor.SpeakerHost {
		e.SaidBy = executor.SpeakerJump
	}
	s.end("", e)
	return e
}

// The ssh program says this when its ConnectTimeout is over and no version line has come.
const noBanner = "timed out during banner exchange"

// ended returns why ctx has ended, for errors.Is with both its error and its cause.
func ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

func set(e *executor.StartError, code executor.StartCode, hint string, err error) bool {
	e.Code, e.Hint, e.Err = code, hint, err
	return true
}

func worthAnother(err error) bool {
	var e executor.StartError
	e.Err = err
	return isLate(&e, place{phase: phaseConnect}) || isNetwork(&e, place{}) && e.Code != executor.ResolveDNS
}

const (
	hintRefused     = "nothing listens on this port: check the port, and whether a VPN or a jump host (ProxyJump) is needed"
	hintTimeout     = "check the name and the port, and whether a VPN or a jump host (ProxyJump) is needed; a firewall may drop the packets"
	hintUnreachable = "no route to this address: check the network and the VPN"
	hintDNS         = "check the spelling and HostName in ~/.ssh/config; a VPN may be needed to look it up"
	hintNotSSH      = "another service listens on this port: check the port"
	hintProxy       = "run the ProxyCommand of this host in a terminal to see its error"
	hintUnchecked   = "StrictHostKeyChecking no is not honoured: host keys are always checked"
	hintNotSSHProxy = "check that the ProxyCommand leads to an SSH server"
	hintDropped     = "the server is too busy (MaxStartups), or refuses this address for a while: try again later, with fewer connections at once"
	hintLost        = "try again; check the server's log for the reason"
	hintNeedsSSH    = "install the OpenSSH client, or use user@host:port, and --ssh-identity if the key file has a different name"
	hintMaxSessions = "raise MaxSessions in the server's sshd_config"
)

func isLate(e *executor.StartError, p place) bool {
	cause := e.Err
	if p.ctx != nil && p.ctx.Err() != nil {
		cause = context.Cause(p.ctx)
	}
	switch {
	case errors.Is(cause, errConnectLate):
		return set(e, executor.NetTimeout, hintTimeout, e.Err)
	case errors.Is(cause, errProgramLate):
		return set(e, executor.NetTimeout, hintTimeout, cause)
	case errors.Is(cause, errKexLate):
		return isKexLate(e, p)
	case errors.Is(cause, errLoginLate):
		return set(e, executor.AuthTimeout, "try ssh to the same host: if that is slow too, the server's login is slow (DNS, PAM)", cause)
	}
	return false
}

// A key exchange that timed out is classified by how far it got.
func isKexLate(e *executor.StartError, p place) bool {
	e.Said, e.SaidBy = p.said()
	proxy := p.proxy()
	switch {
	case p.wire != nil && p.wire.greeted.Load():
		return set(e, executor.NetTimeout, "the server speaks SSH but did not continue: check its load, and the network", errKexLate)
	case p.wire != nil && len(p.wire.said()) > 0:
		return set(e, executor.NetNotSSH, p.hintNotSSH(), fmt.Errorf("%w: it sent data, but no version line", errNotSSH))
	case proxy != nil:
		return set(e, executor.NetProxy, hintProxy, fmt.Errorf("the ProxyCommand %s did not connect within %s", proxy.name(), seconds(p.limit)))
	}
	return set(e, executor.NetTimeout, "the port is open, but no SSH version line came in time: check the port, and the load of the server", errKexLate)
}

func seconds(d time.Duration) string {
	if d < time.Second || d%time.Second != 0 {
		return d.String()
	}
	return fmt.Sprintf("%d s", d/time.Second)
}

func isCancelled(e *executor.StartError, p place) bool {
	if p.ctx == nil || p.ctx.Err() == nil {
		return false
	}
	err := ended(p.ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return set(e, executor.NetTimeout, hintTimeout, err)
	}
	return set(e, executor.StartCancelled, "", err)
}

func isResolution(e *executor.StartError, p place) bool {
	var config *sshconfig.ConfigError
	var ours *configError
	var dns *net.DNSError
	switch {
	case errors.Is(e.Err, sshconfig.ErrNeedsSSH):
		return set(e, executor.ResolveConfig, hintNeedsSSH, e.Err)
	case errors.As(e.Err, &config) && config.File != "":
		return set(e, executor.ResolveConfig, "correct that line, or use another file with --ssh-config", e.Err)
	case errors.As(e.Err, &ours) && p.phase != phaseResolve:
		return set(e, executor.ResolveConfig, "use --ssh-transport native, or correct the ssh configuration", e.Err)
	case errors.As(e.Err, &config), errors.As(e.Err, &ours), p.phase == phaseResolve:
		return set(e, executor.ResolveConfig, "check how ssh reads it: ssh -G "+p.hop, e.Err)
	case errors.As(e.Err, &dns):
		return set(e, executor.ResolveDNS, hintDNS, fmt.Errorf("the name %s has no address: %s", strconv.Quote(dns.Name), dns.Err))
	}
	return false
}

func isHostKey(e *executor.StartError, _ place) bool {
	var refused *refusedKeyError
	var changed *knownhosts.ChangedError
	var revoked *knownhosts.RevokedError
	switch {
	case errors.As(e.Err, &refused):
		return set(e, executor.HostKeyUnknown,
			"if that fingerprint is right, add this line to known_hosts: "+refused.unknown.Line(), refused)
	case errors.As(e.Err, &changed):
		return set(e, executor.HostKeyChanged, "do not accept it unchecked; if the owner of the host confirms the new key, remove the old one: "+changed.Remedy, changed)
	case errors.As(e.Err, &revoked):
		return set(e, executor.HostKeyRevoked, "ask the owner of the host for a new key", revoked)
	case errors.Is(e.Err, errKeySwapped):
		return set(e, executor.HostKeyChanged, "the connection may be intercepted", e.Err)
	}
	return false
}

// The patterns are the messages of the jump host's C library.
func isTunnel(e *executor.StartError, _ place) bool {
	var t *tunnelError
	if !errors.As(e.Err, &t) {
		return false
	}
	var refused *ssh.OpenChannelError
	if !errors.As(t.err, &refused) {
		if cause := t.via.Cause(); cause != nil {
			cause = saidByJump(cause)
			e.Said, e.SaidBy = cause.Said, cause.SaidBy
			return set(e, executor.NetLost, hintLost, fmt.Errorf("connection to the jump host %s was lost: %w", t.via.where(), cause.Err))
		}
		return set(e, executor.NetUnreachable, hintLost, t)
	}
	e.Said, e.SaidBy = refused.Message, executor.SpeakerJump
	if refused.Reason == ssh.Prohibited {
		return set(e, executor.NetUnreachable, "set AllowTcpForwarding yes, and PermitOpen for this host, in its sshd_config",
			fmt.Errorf("the jump host %s does not connect to other hosts", t.via.where()))
	}
	for _, c := range knownMessages {
		if c.in(refused.Message) {
			return set(e, c.code, c.hint, fmt.Errorf("%s (reported by the jump host %s)", c.text, t.via.where()))
		}
	}
	return set(e, executor.NetUnreachable, "try it from there: ssh "+t.via.host.Alias, fmt.Errorf("the jump host %s cannot connect to it", t.via.where()))
}

// Messages of a jump host are attributed to it.
func saidByJump(cause *executor.LostError) *executor.LostError {
	if cause == nil || cause.Said == "" || cause.SaidBy != executor.SpeakerHost {
		return cause
	}
	attributed := *cause
	attributed.SaidBy = executor.SpeakerJump
	return &attributed
}

type knownMessage struct {
	has        string // in lower case
	code       executor.StartCode
	text, hint string
}

// Of the C library and OpenSSH's client. The first match is used.
var knownMessages = []knownMessage{
	{"remote host identification has changed", executor.HostKeyChanged, "the host key has changed", "ask the owner of the host whether the key is new; if it is, remove the old one as the message says"},
	{"revoked host key", executor.HostKeyRevoked, "the host key is revoked", "ask the owner of the host for a new key"},
	{"host key verification failed", executor.HostKeyUnknown, "the host key is not on record", "connect once with ssh in a terminal, or with --accept-new"},
	{"no matching", executor.KexNoCommon, "no common algorithm", "in ~/.ssh/config, allow one that the server offers, for this host only"},
	{"too many authentication failures", executor.AuthTooMany, "too many keys were tried", "set the right key with IdentityFile, and set IdentitiesOnly yes, for this host in ~/.ssh/config"},
	{"permission denied", executor.AuthDenied, "login denied", "check the user name, and that one of the keys is in the server's authorized_keys; try ssh in a terminal\n" + sshauth.HintAccount},
	{"could not resolve hostname", executor.ResolveDNS, "the name has no address", hintDNS},
	{"name or service not known", executor.ResolveDNS, "the name has no address", hintDNS},
	{"temporary failure in name resolution", executor.ResolveDNS, "the name has no address", hintDNS},
	{"unknown host", executor.ResolveDNS, "the name has no address", hintDNS},
	{"connection refused", executor.NetRefused, "connection refused", hintRefused},
	{"timed out", executor.NetTimeout, "connection timed out", hintTimeout},
	{"no route to host", executor.NetUnreachable, "no route to the host", hintUnreachable},
	{"network is unreachable", executor.NetUnreachable, "network is unreachable", hintUnreachable},
	{"bad configuration option", executor.ResolveConfig, "invalid ssh configuration", "correct that line"},
	{"terminating, ", executor.ResolveConfig, "invalid ssh configuration", "correct that line"},
	{"closed by unknown port", executor.NetProxy, "the ProxyCommand or the jump host failed", "try the same host with ssh in a terminal"},
	{"kex_exchange_identification", executor.NetDroppedEarly, "the server closed the connection before its version line", hintDropped},
	{"connection reset by", executor.NetLost, "connection reset", hintLost},
	{"connection closed by", executor.NetLost, "the other side closed the connection", hintLost},
}

func (s knownMessage) in(text string) bool { return strings.Contains(strings.ToLower(text), s.has) }

func isProgram(e *executor.StartError, p place) bool {
	var program *programError
	var proxy *proxyError
	var master *masterError
	switch {
	case errors.As(e.Err, &master):
		return set(e, executor.NetProxy, "start it with ssh -M, with the same ControlPath, or use --ssh-transport native", master)
	case errors.As(e.Err, &proxy):
		e.Said, e.SaidBy = proxy.said, executor.SpeakerProxy
		return set(e, executor.NetProxy, hintProxy, proxy)
	case errors.As(e.Err, &program):
		e.Said, e.SaidBy = program.said, executor.SpeakerSSH
		for _, c := range knownMessages {
			if c.in(program.said) {
				return set(e, c.code, c.hint, errors.New(c.text+onRecord(program.said)))
			}
		}
		return set(e, executor.NetProxy, "try the same host with ssh in a terminal", program)
	}
	return false
}

// onRecord returns the place where ssh found another host key, if it did.
func onRecord(said string) string {
	if m := offending().FindStringSubmatch(said); m != nil {
		return ", the known key is in " + strconv.Quote(m[1])
	}
	return ""
}

// Package variables would be compiled at every start of the program. Inlined, each
// call would add 400 bytes to it.
//
//go:noinline
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

var offending = pattern(`Offending .{1,40} key in (\S+:\d+)`)

func programLost(hop, said string, after time.Duration) *executor.LostError {
	e := &executor.LostError{
		Code: executor.LostClosed, Hop: hop, After: after, Said: said, SaidBy: executor.SpeakerSSH, Err: errPeerClosed,
	}
	switch {
	case strings.Contains(said, "not responding") || strings.Contains(said, "timed out"):
		e.Code, e.Err = executor.LostKeepalive, errKeepalive
	case strings.Contains(said, "reset") || strings.Contains(said, "Broken pipe"):
		e.Code, e.Err = executor.LostReset, errReset
	}
	return e
}

// said returns what the peer sent before it spoke SSH, or what the program in between
// wrote: the output of a ProxyCommand may be either's.
func (p place) said() (string, executor.Speaker) {
	if p.wire == nil {
		return "", executor.SpeakerHost
	}
	text, by := strings.TrimSpace(string(p.wire.said())), executor.SpeakerHost
	if proxy := p.proxy(); proxy != nil {
		by = executor.SpeakerProxy
		if words := proxy.child.stderr.String(); words != "" {
			text = words
		}
	}
	return text, by
}

// proxy returns the ProxyCommand that the connection runs through, or nil.
func (p place) proxy() *proxy {
	if p.wire == nil {
		return nil
	}
	proxy, _ := p.wire.Conn.(*proxy)
	return proxy
}

func (p place) hintNotSSH() string {
	if p.proxy() != nil {
		return hintNotSSHProxy
	}
	return hintNotSSH
}

// The connection ended before the peer spoke SSH.
func isGreeting(e *executor.StartError, p place) bool {
	if p.wire == nil || p.wire.greeted.Load() {
		return false
	}
	e.Said, e.SaidBy = p.said()
	proxy := p.proxy()
	switch {
	case errors.Is(e.Err, errNotSSH) || foreign().MatchString(string(p.wire.said())):
		err := errNotSSH
		if line, _, _ := strings.Cut(string(p.wire.said()), "\n"); line != "" {
			err = fmt.Errorf("%w: it sent %.60q", errNotSSH, strings.TrimSpace(line))
		}
		return set(e, executor.NetNotSSH, p.hintNotSSH(), err)
	case proxy != nil && proxy.failure() != nil:
		return set(e, executor.NetProxy, hintProxy, &proxyError{err: proxy.failure()})
	case isEnd(e.Err) && proxy != nil:
		return set(e, executor.NetDroppedEarly, hintDropped, errors.New("the ProxyCommand ended before the server's version line"))
	case isEnd(e.Err):
		return set(e, executor.NetDroppedEarly, hintDropped, errors.New("the server closed the connection before its version line"))
	}
	return false
}

// HTTP, a TLS alert, SMTP and FTP, POP3, IMAP.
var foreign = pattern(`^(HTTP/|\x15\x03|220[ -]|\+OK|\* OK|<)`)

func isAlgorithms(e *executor.StartError, _ place) bool {
	var ours *noCommonError
	if errors.As(e.Err, &ours) {
		return set(e, executor.KexNoCommon, "supported: "+strings.Join(ours.available, ", "), ours)
	}
	var none *ssh.AlgorithmNegotiationError
	if !errors.As(e.Err, &none) {
		return false
	}
	offered := safeNames(none.RequestedAlgorithms)
	return set(e, executor.KexNoCommon, hintAlgorithm(none.What, offered),
		fmt.Errorf("no common %s: the server offers %s; this client accepts %s", none.What,
			strings.Join(offered, ", "), strings.Join(safeNames(none.SupportedAlgorithms), ", ")))
}

// hintAlgorithm returns the setting that would help, if there is one.
func hintAlgorithm(what string, offered []string) string {
	good, weak := ssh.SupportedAlgorithms(), ssh.InsecureAlgorithms()
	setting, known := "Ciphers", slices.Concat(good.Ciphers, weak.Ciphers)
	switch {
	case strings.Contains(what, "key exchange"):
		setting, known = "KexAlgorithms", slices.Concat(good.KeyExchanges, weak.KeyExchanges)
	case strings.Contains(what, "host key"):
		setting, known = "HostKeyAlgorithms", slices.Concat(good.HostKeys, weak.HostKeys)
	case strings.Contains(what, "MAC"):
		setting, known = "MACs", slices.Concat(good.MACs, weak.MACs)
	}
	for _, name := range known {
		if slices.Contains(offered, name) {
			return fmt.Sprintf("allow one for this host only, in its block of ~/.ssh/config: %s +%s", setting, name)
		}
	}
	return "use --ssh-transport binary, if the system's ssh can connect to it"
}

// safeNames drops names that cannot be algorithms, and those that do not fit on a screen.
func safeNames(names []string) []string {
	var safe []string
	for _, name := range names {
		if algorithmName().MatchString(name) && len(safe) < 24 && name != "ext-info-c" && !strings.HasPrefix(name, "kex-strict-") {
			safe = append(safe, name)
		}
	}
	return safe
}

var algorithmName = pattern(`^[A-Za-z0-9@._+-]{1,64}$`)

func isLogin(e *executor.StartError, _ place) bool {
	var login *loginError
	if !errors.As(e.Err, &login) {
		return false
	}
	e.Said, e.SaidBy = login.banner, executor.SpeakerHost
	if login.failure == nil {
		return set(e, executor.NetLost, hintLost, fmt.Errorf("the connection ended before the login: %w", plainEnd(login.err)))
	}
	if login.failure.Said != "" {
		e.Said = login.failure.Said
	}
	return set(e, login.failure.Code, login.failure.Hint, login.failure)
}

func isChannel(e *executor.StartError, p place) bool {
	if p.phase != phaseOpen {
		return false
	}
	var refused *ssh.OpenChannelError
	switch {
	case errors.As(e.Err, &refused):
		e.Said = refused.Message
		return set(e, executor.ChanLimit, hintMaxSessions, fmt.Errorf("the server refused another session (%v)", refused.Reason))
	case p.lost != nil:
		e.Said, e.SaidBy = p.lost.Said, p.lost.SaidBy
		return set(e, p.lost.Code, p.lost.Hint, fmt.Errorf("connection lost: %w", p.lost.Err))
	}
	e.Said = disconnectText(e.Err)
	return set(e, executor.LostClosed, hintLost, fmt.Errorf("connection lost: %w", plainEnd(e.Err)))
}

func isNetwork(e *executor.StartError, p place) bool {
	var errno syscall.Errno
	var timeout net.Error
	switch {
	case errors.Is(e.Err, syscall.ECONNREFUSED):
		return set(e, executor.NetRefused, hintRefused, syscall.ECONNREFUSED)
	case errors.Is(e.Err, syscall.EHOSTUNREACH) || errors.Is(e.Err, syscall.ENETUNREACH) ||
		errors.Is(e.Err, syscall.ENETDOWN) || errors.Is(e.Err, syscall.EADDRNOTAVAIL):
		errors.As(e.Err, &errno)
		return set(e, executor.NetUnreachable, hintUnreachable, errno)
	case errors.Is(e.Err, syscall.ETIMEDOUT) || errors.As(e.Err, &timeout) && timeout.Timeout():
		return set(e, executor.NetTimeout, hintTimeout, e.Err)
	case p.phase == phaseHostKey:
		e.Said = disconnectText(e.Err)
		return set(e, executor.NetLost, hintLost, fmt.Errorf("the key exchange failed: %w", plainEnd(e.Err)))
	}
	return false
}

// x/crypto does not export the type of the server's message.
func disconnectText(err error) string {
	m := disconnect().FindStringSubmatch(err.Error())
	if m == nil {
		return ""
	}
	text, err := strconv.Unquote(m[1])
	if err != nil {
		return m[1]
	}
	return text[:min(len(text), maxSaid)]
}

var disconnect = pattern(`ssh: disconnect, reason \d+: (".*")`)
