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

// A place is where something failed.
type place struct {
	hop   string
	alias string // of hop, as it was typed
	phase string
	begin time.Time     // of the phase
	limit time.Duration // for the key exchange
	ctx   context.Context
	wire  *wire               // in a handshake
	lost  *executor.LostError // why the connection that was there has ended
	// client is the version of the local ssh program.
	client string
}

// classify turns whatever went wrong into what a person is told: a code, what
// the other side said, and what to try. No other file does.
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

// classify is classify for one hop, and says so if that is not the destination; w
// is the wire of its handshake, if it came so far.
func (h *hop) classify(ctx context.Context, s *step, err error, w *wire) *executor.StartError {
	e := classify(err, place{
		hop: h.name, alias: h.host.Alias, phase: s.phase.Name, begin: s.phase.Begin, limit: h.connectTimeout(), ctx: ctx, wire: w,
		client: h.dialer.resolver.Version(),
	})
	if h.jump && e.Code != executor.StartCancelled {
		e.Err = fmt.Errorf("at the jump host: %w", e.Err)
	}
	if h.jump && e.Said != "" && e.SaidBy == executor.SpeakerHost {
		e.SaidBy = executor.SpeakerJump
	}
	return e
}

// ended is why ctx has ended, for errors.Is with both what it is and its cause.
func ended(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

func tell(e *executor.StartError, code executor.StartCode, hint string, err error) bool {
	e.Code, e.Hint, e.Err = code, hint, err
	return true
}

// worthAnother tells whether another attempt to connect may help.
func worthAnother(err error) bool {
	var e executor.StartError
	e.Err = err
	return isLate(&e, place{phase: phaseConnect}) || isNetwork(&e, place{}) && e.Code != executor.ResolveDNS
}

const (
	hintRefused     = "nothing listens there: check the port, and whether a VPN or a jump host (ProxyJump) is needed"
	hintTimeout     = "check the name and the port, and whether a VPN or a jump host (ProxyJump) is needed; a firewall may drop what is not for it"
	hintUnreachable = "there is no way to this address from here: check the network and the VPN"
	hintDNS         = "check the spelling and HostName in ~/.ssh/config; a VPN may be needed to look it up"
	hintNotSSH      = "something else listens on this port: check the port"
	hintProxy       = "run the ProxyCommand of this host by itself to see what it says"
	hintNotSSHProxy = "the ProxyCommand may lead to something else than an SSH server"
	hintDropped     = "the server is too busy (MaxStartups), or refuses this address for a while: try again later, with fewer at once"
	hintLost        = "try again; the server's log may say why it ended the connection"
	hintNeedsSSH    = "install OpenSSH's client, or write user@host:port, with --ssh-identity for a key of another name"
	hintMaxSessions = "the server allows no more sessions on one connection: raise MaxSessions in its sshd_config"
)

func isLate(e *executor.StartError, p place) bool {
	cause := e.Err
	if p.ctx != nil && p.ctx.Err() != nil {
		cause = context.Cause(p.ctx)
	}
	switch {
	case errors.Is(cause, errConnectLate):
		return tell(e, executor.NetTimeout, hintTimeout, e.Err)
	case errors.Is(cause, errKexLate):
		return isKexLate(e, p)
	case errors.Is(cause, errLoginLate):
		return tell(e, executor.AuthTimeout, "try ssh to the same host: if that is slow too, its login is (DNS, PAM)", cause)
	}
	return false
}

// isKexLate classifies a key exchange that timed out by how far it came.
func isKexLate(e *executor.StartError, p place) bool {
	e.Said, e.SaidBy = p.said()
	proxy := p.proxy()
	switch {
	case p.wire != nil && p.wire.greeted.Load():
		return tell(e, executor.NetTimeout, "it speaks SSH and did not go on: check its load, and the network in between", errKexLate)
	case p.wire != nil && len(p.wire.said()) > 0:
		return tell(e, executor.NetNotSSH, p.hintNotSSH(), fmt.Errorf("%w: it said something, and no version line came", errNotSSH))
	case proxy != nil:
		return tell(e, executor.NetProxy, hintProxy, fmt.Errorf("the ProxyCommand %s did not connect within %s", proxy.name(), seconds(p.limit)))
	}
	return tell(e, executor.NetTimeout, "the port is open and nothing speaks SSH there in time: check the port, or the load of the server", errKexLate)
}

// seconds formats a limit for an error.
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
		return tell(e, executor.NetTimeout, hintTimeout, err)
	}
	return tell(e, executor.StartCancelled, "", err)
}

func isResolution(e *executor.StartError, p place) bool {
	var config *sshconfig.ConfigError
	var ours *configError
	var dns *net.DNSError
	switch {
	case errors.Is(e.Err, sshconfig.ErrNeedsSSH):
		return tell(e, executor.ResolveConfig, hintNeedsSSH, e.Err)
	case errors.As(e.Err, &config) && config.File != "":
		return tell(e, executor.ResolveConfig, "correct that line, or name another file with --ssh-config", e.Err)
	case errors.As(e.Err, &ours) && p.phase != phaseResolve:
		return tell(e, executor.ResolveConfig, "use --ssh-transport native, or correct the ssh configuration", e.Err)
	case errors.As(e.Err, &config), errors.As(e.Err, &ours), p.phase == phaseResolve:
		return tell(e, executor.ResolveConfig, "see what ssh makes of it: ssh -G "+p.hop, e.Err)
	case errors.As(e.Err, &dns):
		return tell(e, executor.ResolveDNS, hintDNS, fmt.Errorf("the name %s has no address: %s", strconv.Quote(dns.Name), dns.Err))
	}
	return false
}

func isHostKey(e *executor.StartError, _ place) bool {
	var refused *refusedKeyError
	var changed *knownhosts.ChangedError
	var revoked *knownhosts.RevokedError
	switch {
	case errors.As(e.Err, &refused):
		return tell(e, executor.HostKeyUnknown,
			"if that fingerprint is the right one, add this line to known_hosts: "+refused.unknown.Line(), refused)
	case errors.As(e.Err, &changed):
		return tell(e, executor.HostKeyChanged, "never accept it unseen; if its owner confirms the new key, remove the old one: "+changed.Remedy, changed)
	case errors.As(e.Err, &revoked):
		return tell(e, executor.HostKeyRevoked, "ask the owner of the host for a new key", revoked)
	case errors.Is(e.Err, errKeySwapped):
		return tell(e, executor.HostKeyChanged, "somebody may be in between", e.Err)
	}
	return false
}

// isTunnel tells what a jump host says about the next hop. The words are those of
// the C library there.
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
			return tell(e, executor.NetLost, hintLost, fmt.Errorf("connection to the jump host %s was lost: %w", t.via.hop, cause.Err))
		}
		return tell(e, executor.NetUnreachable, hintLost, t)
	}
	e.Said, e.SaidBy = refused.Message, executor.SpeakerJump
	if refused.Reason == ssh.Prohibited {
		return tell(e, executor.NetUnreachable, "it needs AllowTcpForwarding yes, and PermitOpen for this host, in its sshd_config",
			fmt.Errorf("the jump host %s does not connect to other hosts", t.via.hop))
	}
	for _, c := range spoken {
		if c.in(refused.Message) {
			return tell(e, c.code, c.hint, fmt.Errorf("%s, says the jump host %s", c.text, t.via.hop))
		}
	}
	return tell(e, executor.NetUnreachable, "try from there: ssh "+t.via.host.Alias, fmt.Errorf("the jump host %s cannot connect to it", t.via.hop))
}

// saidByJump returns why the connection to a jump host has ended, for a host behind
// it: what the jump host said is attributed to it.
func saidByJump(cause *executor.LostError) *executor.LostError {
	if cause == nil || cause.Said == "" || cause.SaidBy != executor.SpeakerHost {
		return cause
	}
	attributed := *cause
	attributed.SaidBy = executor.SpeakerJump
	return &attributed
}

// A spokenError is a failure that is known by its words.
type spokenError struct {
	has        string // in lower case
	code       executor.StartCode
	text, hint string
}

// spoken is what programs say when they cannot connect, in the words of the C
// library and of OpenSSH's client. The first that fits counts.
var spoken = []spokenError{
	{"remote host identification has changed", executor.HostKeyChanged, "the host key has changed", "ask its owner whether the key is new; if it is, remove the old one as the message says"},
	{"revoked host key", executor.HostKeyRevoked, "the host key is revoked", "ask the owner of the host for a new key"},
	{"host key verification failed", executor.HostKeyUnknown, "the host key is not on record", "connect once with ssh in a terminal, or with --accept-new"},
	{"no matching", executor.KexNoCommon, "no common algorithm", "allow one that the server offers in ~/.ssh/config, for this host only"},
	{"too many authentication failures", executor.AuthTooMany, "too many keys were tried", "name the right key with IdentityFile, and set IdentitiesOnly yes, for this host in ~/.ssh/config"},
	{"permission denied", executor.AuthDenied, "login denied", "check the user name, and that one of the keys is in the server's authorized_keys; try ssh in a terminal\n" + sshauth.HintAccount},
	{"could not resolve hostname", executor.ResolveDNS, "the name has no address", hintDNS},
	{"name or service not known", executor.ResolveDNS, "the name has no address", hintDNS},
	{"temporary failure in name resolution", executor.ResolveDNS, "the name has no address", hintDNS},
	{"unknown host", executor.ResolveDNS, "the name has no address", hintDNS},
	{"connection refused", executor.NetRefused, "connection refused", hintRefused},
	{"timed out", executor.NetTimeout, "connection timed out", hintTimeout},
	{"no route to host", executor.NetUnreachable, "no route to the host", hintUnreachable},
	{"network is unreachable", executor.NetUnreachable, "network is unreachable", hintUnreachable},
	{"bad configuration option", executor.ResolveConfig, "the ssh configuration cannot be used", "correct that line"},
	{"terminating, ", executor.ResolveConfig, "the ssh configuration cannot be used", "correct that line"},
	{"closed by unknown port", executor.NetProxy, "the ProxyCommand or the jump host failed", "try the same host with ssh in a terminal"},
	{"kex_exchange_identification", executor.NetDroppedEarly, "the server closed the connection before its version line", hintDropped},
	{"connection reset by", executor.NetLost, "connection reset", hintLost},
	{"connection closed by", executor.NetLost, "the other side closed the connection", hintLost},
}

func (s spokenError) in(text string) bool { return strings.Contains(strings.ToLower(text), s.has) }

func isProgram(e *executor.StartError, p place) bool {
	var program *programError
	var proxy *proxyError
	var master *masterError
	switch {
	case errors.As(e.Err, &master):
		return tell(e, executor.NetProxy, "start it with ssh -M, with the same ControlPath, or use --ssh-transport native", master)
	case errors.As(e.Err, &proxy):
		e.Said, e.SaidBy = proxy.said, executor.SpeakerProxy
		return tell(e, executor.NetProxy, hintProxy, proxy)
	case errors.As(e.Err, &program):
		e.Said, e.SaidBy = program.said, executor.SpeakerSSH
		for _, c := range spoken {
			if c.in(program.said) {
				return tell(e, c.code, c.hint, errors.New(c.text+onRecord(program.said)))
			}
		}
		return tell(e, executor.NetProxy, "try the same host with ssh in a terminal", program)
	}
	return false
}

// onRecord says where ssh has found another host key, if it has.
func onRecord(said string) string {
	if m := offending().FindStringSubmatch(said); m != nil {
		return ", on record is another one: " + strconv.Quote(m[1])
	}
	return ""
}

// pattern is a regular expression that is compiled when it is used first: for
// what a package compiles at its start every start of the program pays.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

var offending = pattern(`Offending .{1,40} key in (\S+:\d+)`)

// programLost is why the ssh program of a connection has ended.
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

// said is what the peer said before it spoke SSH, or what the program between
// here and there did: what a ProxyCommand writes may be either's.
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

// proxy is the ProxyCommand that the connection runs through, nil if there is none.
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

// isGreeting is a connection that ended before the peer spoke SSH.
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
			err = fmt.Errorf("%w: it says %.60q", errNotSSH, strings.TrimSpace(line))
		}
		return tell(e, executor.NetNotSSH, p.hintNotSSH(), err)
	case proxy != nil && proxy.failure() != nil:
		return tell(e, executor.NetProxy, hintProxy, &proxyError{err: proxy.failure()})
	case isEnd(e.Err) && proxy != nil:
		return tell(e, executor.NetDroppedEarly, hintDropped, errors.New("the ProxyCommand ended before a version line of the server came"))
	case isEnd(e.Err):
		return tell(e, executor.NetDroppedEarly, hintDropped, errors.New("the server closed the connection before its version line"))
	}
	return false
}

// foreign is what other protocols begin with: HTTP, a TLS alert, SMTP and FTP,
// POP3, IMAP.
var foreign = pattern(`^(HTTP/|\x15\x03|220[ -]|\+OK|\* OK|<)`)

func isAlgorithms(e *executor.StartError, _ place) bool {
	var ours *noCommonError
	if errors.As(e.Err, &ours) {
		return tell(e, executor.KexNoCommon, "this program knows: "+strings.Join(ours.available, ", "), ours)
	}
	var none *ssh.AlgorithmNegotiationError
	if !errors.As(e.Err, &none) {
		return false
	}
	offered := safeNames(none.RequestedAlgorithms)
	return tell(e, executor.KexNoCommon, hintAlgorithm(none.What, offered),
		fmt.Errorf("no common %s: the server offers %s; asked for were %s", none.What,
			strings.Join(offered, ", "), strings.Join(safeNames(none.SupportedAlgorithms), ", ")))
}

// hintAlgorithm names the setting that would help, if there is one.
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
	return "use --ssh-transport binary, if the system's ssh can speak to it"
}

// safeNames leaves out what no algorithm is called, and more than a screen has
// room for.
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
		return tell(e, executor.NetLost, hintLost, fmt.Errorf("the connection ended before the login: %w", plainEnd(login.err)))
	}
	if login.failure.Said != "" {
		e.Said = login.failure.Said
	}
	return tell(e, login.failure.Code, login.failure.Hint, login.failure)
}

func isChannel(e *executor.StartError, p place) bool {
	if p.phase != phaseOpen {
		return false
	}
	var refused *ssh.OpenChannelError
	switch {
	case errors.As(e.Err, &refused):
		e.Said = refused.Message
		return tell(e, executor.ChanLimit, hintMaxSessions, fmt.Errorf("the server refuses another session (%v)", refused.Reason))
	case p.lost != nil:
		e.Said, e.SaidBy = p.lost.Said, p.lost.SaidBy
		return tell(e, p.lost.Code, p.lost.Hint, fmt.Errorf("connection lost: %w", p.lost.Err))
	}
	e.Said = disconnectText(e.Err)
	return tell(e, executor.LostClosed, hintLost, fmt.Errorf("connection lost: %w", plainEnd(e.Err)))
}

func isNetwork(e *executor.StartError, p place) bool {
	var errno syscall.Errno
	var timeout net.Error
	switch {
	case errors.Is(e.Err, syscall.ECONNREFUSED):
		return tell(e, executor.NetRefused, hintRefused, syscall.ECONNREFUSED)
	case errors.Is(e.Err, syscall.EHOSTUNREACH) || errors.Is(e.Err, syscall.ENETUNREACH) ||
		errors.Is(e.Err, syscall.ENETDOWN) || errors.Is(e.Err, syscall.EADDRNOTAVAIL):
		errors.As(e.Err, &errno)
		return tell(e, executor.NetUnreachable, hintUnreachable, errno)
	case errors.Is(e.Err, syscall.ETIMEDOUT) || errors.As(e.Err, &timeout) && timeout.Timeout():
		return tell(e, executor.NetTimeout, hintTimeout, e.Err)
	case p.phase == phaseHostKey:
		e.Said = disconnectText(e.Err)
		return tell(e, executor.NetLost, hintLost, fmt.Errorf("the key exchange failed: %w", plainEnd(e.Err)))
	}
	return false
}

// disconnectText is what the server said when it closed the connection. x/crypto
// does not export the type.
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
