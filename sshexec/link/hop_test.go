//go:build unix

package link

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/knownhosts"
	"mcpdbg/sshexec/sshconfig"
	"mcpdbg/sshexec/sshtest"
)

func TestDroppedConnectionsAreTriedAgain(t *testing.T) {
	for _, c := range []struct {
		dropped, waits int
		fails          bool
	}{{1, 1, false}, {droppedRetries, droppedRetries, false}, {droppedRetries + 1, droppedRetries, true}} {
		s := sshtest.Fake(t, sshtest.FakeOptions{DropFirst: c.dropped})
		d := newDialer(t, s, Options{})
		var waits []time.Duration
		d.wait = func(_ context.Context, d time.Duration) error {
			waits = append(waits, d)
			return nil
		}
		_, err := d.Dial(t.Context(), target(s), Reporter{})
		require.Equal(t, c.fails, err != nil)
		require.Len(t, waits, c.waits)
		for i, w := range waits {
			require.GreaterOrEqual(t, w, minRetryWait<<i)
			require.Less(t, w, maxRetryWait<<i)
		}
	}
}

func TestConnectionAttempts(t *testing.T) {
	for _, c := range []struct {
		err   error
		fails int
		tries int
	}{
		{syscall.ECONNREFUSED, 2, 3},
		{syscall.ECONNREFUSED, 5, 3},
		{syscall.EHOSTUNREACH, 1, 2},
		{&net.DNSError{Err: "no such host", Name: "x"}, 5, 1},
		{syscall.EPERM, 5, 1},
	} {
		s := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{SSH: []string{"ConnectionAttempts 3"}}})
		d := newDialer(t, s, Options{})
		tries, really := 0, d.dialTCP
		d.dialTCP = func(ctx context.Context, dialer *net.Dialer, network, address string) (net.Conn, error) {
			if tries++; tries <= c.fails {
				return nil, c.err
			}
			return really(ctx, dialer, network, address)
		}
		d.wait = func(_ context.Context, d time.Duration) error {
			assert.Equal(t, connectWait, d)
			return nil
		}
		_, err := d.Dial(t.Context(), target(s), Reporter{})
		require.Equal(t, c.tries, tries)
		require.Equal(t, c.tries <= c.fails, err != nil)
	}
}

func TestHowToConnect(t *testing.T) {
	s := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{SSH: []string{
		"AddressFamily inet", "BindAddress 127.0.0.2", "ConnectTimeout 7",
	}}})
	d := newDialer(t, s, Options{})
	really := d.dialTCP
	d.dialTCP = func(ctx context.Context, dialer *net.Dialer, network, address string) (net.Conn, error) {
		assert.Equal(t, "tcp4", network)
		assert.Equal(t, "127.0.0.2:0", dialer.LocalAddr.String())
		assert.True(t, dialer.KeepAliveConfig.Enable)
		return really(ctx, dialer, network, address)
	}
	c, err := d.Dial(t.Context(), target(s), Reporter{})
	require.NoError(t, err)
	h := &hop{dialer: d, host: c.Host()}
	require.Equal(t, 7*time.Second, h.connectTimeout())
	require.Equal(t, DefaultAuthTimeout, h.authTimeout())
	d.options.ConnectTimeout, d.options.AuthTimeout = 2, 3
	require.Equal(t, time.Duration(2), h.connectTimeout())
	require.Equal(t, time.Duration(3), h.authTimeout())
}

// unknown starts a server that is not in known_hosts.
func unknown(t *testing.T, lines ...string) *sshtest.Server {
	s := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{HostKeys: []string{"ed25519"}, SSH: lines}})
	remember(t, s, "# nothing")
	return s
}

func TestUnknownHostKeys(t *testing.T) {
	declined := errors.New("dialog was closed")
	for name, c := range map[string]struct {
		answer  func(fingerprint string) (executor.Answer, error)
		accepts bool
		text    string
	}{
		"yes":                 {func(string) (executor.Answer, error) { return executor.Answer{Yes: true}, nil }, true, ""},
		"the fingerprint":     {func(f string) (executor.Answer, error) { return password(" " + f + "\n"), nil }, true, ""},
		"another fingerprint": {func(f string) (executor.Answer, error) { return password(f + "x"), nil }, false, "not accepted"},
		"no":                  {func(string) (executor.Answer, error) { return executor.Answer{}, nil }, false, "not accepted"},
		"empty":               {func(string) (executor.Answer, error) { return password(""), nil }, false, "not accepted"},
		"no answer":           {func(string) (executor.Answer, error) { return executor.Answer{}, declined }, false, "dialog was closed"},
	} {
		t.Run(name, func(t *testing.T) {
			s := unknown(t)
			fingerprint := ssh.FingerprintSHA256(s.HostKeys[0])
			asked := 0
			d := newDialer(t, s, Options{Prompter: prompter(func(_ context.Context, p executor.Prompt) (executor.Answer, error) {
				asked++
				assert.Equal(t, executor.PromptHostKey, p.Kind)
				assert.Equal(t, s.User+"@"+s.Addr, p.Hop)
				assert.Equal(t, s.User, p.User)
				assert.Contains(t, p.Text, fingerprint)
				assert.Contains(t, p.Text, "ssh-ed25519")
				assert.Empty(t, p.Remote)
				return c.answer(fingerprint)
			})})
			_, err := d.Dial(t.Context(), target(s), Reporter{})
			require.Equal(t, 1, asked)
			text, readErr := os.ReadFile(s.KnownHosts)
			require.NoError(t, readErr)
			line := lineFor(t, s, s.HostKeys[0])
			require.Equal(t, c.accepts, strings.Contains(string(text), strings.TrimSpace(line)))
			if c.accepts {
				require.NoError(t, err)
				_, err = d.Dial(t.Context(), target(s), Reporter{})
				require.NoError(t, err)
				require.Equal(t, 1, asked, "it is on record now")
				return
			}
			var e *executor.StartError
			require.ErrorAs(t, err, &e)
			require.Equal(t, executor.HostKeyUnknown, e.Code)
			require.ErrorContains(t, err, c.text)
			require.Contains(t, e.Hint, strings.TrimSpace(line))
			require.NotContains(t, s.Log(), "auth ", "no login without verification")
		})
	}
}

// Without a user to prompt, the error says once that the key is unknown.
func TestUnknownKeyIsReportedOnce(t *testing.T) {
	question := fmt.Errorf("%w, because there is no terminal: The host is new: no key of it is on record", executor.ErrNoPrompter)
	for _, p := range []executor.Prompter{nil, prompter(func(context.Context, executor.Prompt) (executor.Answer, error) {
		return executor.Answer{}, question
	})} {
		e := fails(t, unknown(t), Options{Prompter: p})
		require.Regexp(t, `^start on target \(\S+\): no host key of \S+ is on record; it sent ssh-ed25519 SHA256:\S+; cannot prompt$`, e.Error())
	}
}

// Errors carry the alias as typed, even of jump hosts.
func TestErrorsCarryTheAlias(t *testing.T) {
	jump := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{Alias: "gate"}})
	s := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{Alias: "web-7", Jump: jump}})
	c := dial(t, s, Options{})
	c.Abort(&executor.LostError{Code: executor.LostKeepalive, Hop: c.Hop(), Err: errors.New("no answer")})
	within(t, c.Done())
	require.Regexp(t, `^connection to web-7 \(\S+@`+s.Addr+`\) lost after 0s: no answer$`, c.Cause().Error())

	s.Stop()
	e := fails(t, s, Options{})
	require.Regexp(t, `^start on web-7 \(\S+@`+s.Addr+`\): connection refused \(reported by the jump host gate \(\S+@`+jump.Addr+`\)\)$`, e.Error())
	jump.Stop()
	require.Regexp(t, `^start on gate \(\S+@`+jump.Addr+`\): at the jump host: connection refused$`, fails(t, s, Options{}).Error())
}

// codes returns the codes of c's notices.
func codes(c *Conn) []string {
	var codes []string
	for _, n := range c.Notices() {
		codes = append(codes, n.Code)
	}
	return codes
}

func TestAcceptNew(t *testing.T) {
	s := unknown(t, "HashKnownHosts yes")
	c := dial(t, s, Options{AcceptNew: true})
	require.Equal(t, []string{"hostkey.accepted"}, codes(c))
	require.Contains(t, c.Notices()[0].Text, ssh.FingerprintSHA256(s.HostKeys[0]))
	text, err := os.ReadFile(s.KnownHosts)
	require.NoError(t, err)
	require.Contains(t, string(text), "|1|")
	require.Empty(t, dial(t, s, Options{}).Notices())
}

func TestAnAcceptedKeyThatCannotBeWritten(t *testing.T) {
	s := unknown(t, "UserKnownHostsFile /dev/null/known_hosts")
	c := dial(t, s, Options{AcceptNew: true})
	require.Contains(t, codes(c), "hostkey.notwritten")
	notices := c.Notices()
	require.Contains(t, notices[len(notices)-1].Hint, "ssh-ed25519 AAAA")
}

// Another program may record a key during the prompt about this one.
func TestKeyRecordedDuringThePromptIsUsed(t *testing.T) {
	s := unknown(t)
	other := sshtest.NewKey(t, "ed25519", filepath.Join(t.TempDir(), "other"))
	host, port, err := net.SplitHostPort(s.Addr)
	require.NoError(t, err)
	line := fmt.Sprintf("[%s]:%s %s", host, port, other.AuthorizedKey())
	failed := fails(t, s, Options{Prompter: prompter(func(context.Context, executor.Prompt) (executor.Answer, error) {
		remember(t, s, line)
		return executor.Answer{Yes: true}, nil
	})})
	require.Equal(t, executor.HostKeyChanged, failed.Code)
}

// StrictHostKeyChecking decides about unknown keys, and a flag takes
// precedence. It never turns the check off.
func TestStrictHostKeyCheckingIsHonoured(t *testing.T) {
	const asks, refuses, takes = "asks", "refuses", "takes"
	for _, c := range []struct {
		setting string
		options Options
		native  string
		binary  string // which never prompts
		notice  string // the first one, if the connection is made
	}{
		{setting: "ask", native: asks, binary: refuses},
		{setting: "yes", native: refuses, binary: refuses},
		{setting: "no", native: asks, binary: refuses},
		{setting: "off", native: asks, binary: refuses},
		{setting: "accept-new", native: takes, binary: takes, notice: "hostkey.accepted"},
		{setting: "ask", options: Options{AcceptNew: true}, native: takes, binary: takes, notice: "hostkey.accepted"},
		{setting: "yes", options: Options{AcceptNew: true}, native: takes, binary: takes, notice: "hostkey.accepted"},
		{setting: "no", options: Options{AcceptNew: true}, native: takes, binary: takes, notice: "config.ignored"},
		{setting: "accept-new", options: Options{NoAcceptNew: true}, native: asks, binary: refuses},
		{setting: "yes", options: Options{NoAcceptNew: true}, native: refuses, binary: refuses},
	} {
		for transport, want := range map[string]string{Native: c.native, Binary: c.binary} {
			t.Run(fmt.Sprintf("%s %s %v %v", transport, c.setting, c.options.AcceptNew, c.options.NoAcceptNew), func(t *testing.T) {
				s := unknownOpenSSH(t, "StrictHostKeyChecking "+c.setting)
				asked := 0
				o := c.options
				o.Transport = transport
				o.Prompter = prompter(func(context.Context, executor.Prompt) (executor.Answer, error) {
					asked++
					return executor.Answer{}, nil
				})
				conn, err := newDialer(t, s, o).Dial(t.Context(), target(s), Reporter{})
				require.Equal(t, want == asks, asked == 1, "asked %d times", asked)
				text, readErr := os.ReadFile(s.KnownHosts)
				require.NoError(t, readErr)
				require.Equal(t, want == takes, strings.Contains(string(text), "ssh-ed25519"), "recorded")
				if want != takes {
					var e *executor.StartError
					require.ErrorAs(t, err, &e)
					require.Equal(t, executor.HostKeyUnknown, e.Code)
					ignored := c.setting == "no" || c.setting == "off"
					require.Equal(t, ignored, strings.HasPrefix(e.Hint, hintUnchecked+"\n"), e.Hint)
					return
				}
				require.NoError(t, err)
				if transport == Native || c.notice == "config.ignored" {
					require.Equal(t, c.notice, codes(conn)[0])
				}
			})
		}
	}
}

// unknownOpenSSH starts an sshd that is not in known_hosts.
func unknownOpenSSH(t *testing.T, lines ...string) *sshtest.Server {
	s := sshtest.OpenSSH(t, sshtest.Options{HostKeys: []string{"ed25519"}, SSH: lines})
	remember(t, s, "# nothing")
	return s
}

func TestStrictHostKeyCheckingYesNamesItself(t *testing.T) {
	e := fails(t, unknown(t, "StrictHostKeyChecking yes"), Options{})
	require.ErrorContains(t, e, "StrictHostKeyChecking yes refuses unknown keys")
	require.Contains(t, e.Hint, "add this line to known_hosts")
}

func TestKnownHostsWarnings(t *testing.T) {
	s := sshtest.Fake(t, sshtest.FakeOptions{})
	text, err := os.ReadFile(s.KnownHosts)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(s.KnownHosts, append([]byte("nonsense\n"), text...), 0o600))
	c := dial(t, s, Options{})
	require.Equal(t, []string{"hostkey.file"}, codes(c))
	require.Contains(t, c.Notices()[0].Text, "known_hosts:1")
}

// Notices about a jump host appear on the connections behind it.
func TestNoticesOfJumpHosts(t *testing.T) {
	jump := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{Alias: "jump"}, Banner: "welcome"})
	s := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{Jump: jump}})
	remember(t, jump, "# nothing")
	d := newDialer(t, s, Options{AcceptNew: true})
	c, err := d.Dial(t.Context(), target(s), Reporter{})
	require.NoError(t, err)
	require.Equal(t, []string{"hostkey.accepted", "login.banner"}, codes(c))
	again, err := d.Dial(t.Context(), target(s), Reporter{})
	require.NoError(t, err)
	require.Equal(t, codes(c), codes(again), "even on a shared connection")
}

// Each hop is verified under its own name, which HostKeyAlias may set.
func TestHostKeyAlias(t *testing.T) {
	jump := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{Alias: "jump"}})
	s := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{
		Jump: jump, HostKeys: []string{"ed25519"}, SSH: []string{"HostKeyAlias the-target"},
	}})
	require.Equal(t, executor.HostKeyUnknown, fails(t, s, Options{}).Code)
	remember(t, s, knownhosts.Line("the-target", 22, s.HostKeys[0], false))
	require.Equal(t, "hello\n", run(t, dial(t, s, Options{}), "echo hello"))
}

// The key of a host must be the same in every key exchange of a connection.
func TestTheHostKeyIsTheSameInEveryExchange(t *testing.T) {
	s := sshtest.Fake(t, sshtest.FakeOptions{Options: sshtest.Options{HostKeys: []string{"ed25519", "ecdsa"}}})
	c := dial(t, s, Options{})
	v := newVerifier(t.Context(), new(records), c.Host(), c.Hop())
	verified := 0
	v.verified = func(ssh.PublicKey) { verified++ }
	require.NoError(t, v.verify(s.HostKeys[0]))
	require.NoError(t, v.verify(s.HostKeys[0]))
	require.Equal(t, 1, verified)
	require.ErrorIs(t, v.verify(s.HostKeys[1]), errKeySwapped, "although it is on record too")
}

func TestRekey(t *testing.T) {
	s := sshtest.OpenSSH(t, sshtest.Options{SSH: []string{"RekeyLimit 1M"}})
	c := dial(t, s, Options{})
	require.Len(t, run(t, c, "head -c 8000000 /dev/zero"), 8_000_000)
	require.Nil(t, c.Cause())
}

func TestWeakAlgorithmsAreReported(t *testing.T) {
	s := sshtest.Fake(t, sshtest.FakeOptions{
		Options: sshtest.Options{SSH: []string{"KexAlgorithms diffie-hellman-group14-sha1", "HostKeyAlgorithms ssh-ed25519,ssh-rsa"}},
		Crypto:  ssh.Config{KeyExchanges: []string{ssh.InsecureKeyExchangeDH14SHA1}},
	})
	c := dial(t, s, Options{})
	require.Equal(t, []string{"kex.weak"}, codes(c))
	require.Contains(t, c.Notices()[0].Text, "diffie-hellman-group14-sha1, ssh-rsa")
	require.Equal(t, "diffie-hellman-group14-sha1", c.Info().Kex)
}

func TestBanner(t *testing.T) {
	s := sshtest.Fake(t, sshtest.FakeOptions{Banner: strings.Repeat("x", 200_000) + "\x1b[2Jend"})
	c := dial(t, s, Options{})
	require.Equal(t, []string{"login.banner"}, codes(c))
	said := c.Notices()[0].Said
	require.Len(t, said, maxSaid)
	require.True(t, strings.HasSuffix(said, "\x1b[2Jend"), "untrusted, and kept as it is")
	require.NotContains(t, fmt.Sprint(c.Info()), "\x1b")
}

// Time spent in prompts counts for no clock, neither the dialer's nor the
// caller's: the clock of the test runs only while a busy machine cannot affect
// the result.
func TestPromptsStopTheClocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = time.Second
		home := t.TempDir()
		var asked []executor.PromptKind
		d := NewDialer(Options{ConnectTimeout: limit, AuthTimeout: limit, Prompter: prompter(func(ctx context.Context, p executor.Prompt) (executor.Answer, error) {
			time.Sleep(time.Hour)
			asked = append(asked, p.Kind)
			return executor.Answer{Yes: true, Values: []string{"right"}}, context.Cause(ctx)
		})})
		host := &sshconfig.Host{
			HostName: "host", User: "ada", Port: 22, Password: true, UserKnownHosts: []string{filepath.Join(home, "known_hosts")},
		}
		key := sshtest.NewKey(t, "ed25519", filepath.Join(home, "key"))
		server := &ssh.ServerConfig{PasswordCallback: func(_ ssh.ConnMetadata, password []byte) (*ssh.Permissions, error) {
			if string(password) != "right" {
				return nil, errors.New("wrong")
			}
			return nil, nil
		}}
		server.AddHostKey(key)
		ours, theirs := memPipe()
		go func() { _, _, _, _ = ssh.NewServerConn(theirs, server) }()
		ctx, cancel := executor.WithPausableTimeout(t.Context(), limit, errors.New("the caller has no time"))
		defer cancel()
		c, failure := d.connectAlone(ctx, host, Reporter{}, func(ctx context.Context, t *trace) (*Conn, *executor.StartError) {
			h := &hop{dialer: d, host: host, name: "ada@host:22", trace: t, release: func() {}}
			return h.handshake(ctx, newWire(ours, h.name, true))
		})
		require.Nil(t, failure)
		require.Equal(t, []executor.PromptKind{executor.PromptHostKey, executor.PromptPassword}, asked)
		require.Nil(t, c.Cause())
		require.NoError(t, ctx.Err())
		<-ctx.Done() // then it continues
		require.NoError(t, d.Close())
	})
}

func TestALoginThatTakesTooLong(t *testing.T) {
	freeze := make(chan struct{})
	s := sshtest.Fake(t, sshtest.FakeOptions{Methods: []string{"password"}, Password: "right", Freeze: freeze})
	e := fails(t, s, Options{AuthTimeout: 200 * time.Millisecond, Prompter: prompter(func(context.Context, executor.Prompt) (executor.Answer, error) {
		close(freeze)
		return password("right"), nil
	})})
	require.Equal(t, executor.AuthTimeout, e.Code)
	require.Equal(t, phaseLogin, e.Phase)
	require.ErrorContains(t, e, "the login took too long")
}

// A connection that ends during a prompt is not a denied login.
func TestALoginThatIsCut(t *testing.T) {
	s := sshtest.Fake(t, sshtest.FakeOptions{Methods: []string{"password"}, Password: "right"})
	asked := 0
	e := fails(t, s, Options{Prompter: prompter(func(context.Context, executor.Prompt) (executor.Answer, error) {
		asked++
		s.Stop()
		return password("right"), nil
	})})
	require.Equal(t, executor.NetLost, e.Code)
	require.Equal(t, 1, asked, "not a refusal")
}

func TestLoginPhaseNamesTheMethod(t *testing.T) {
	for _, method := range []string{"publickey", "password", "keyboard-interactive"} {
		s := sshtest.Fake(t, sshtest.FakeOptions{
			Methods: []string{method}, Password: "right",
			Rounds: []sshtest.Round{{Questions: []sshtest.Question{{Text: "Code: ", Answer: "right"}}}},
		})
		r := new(recorder)
		d := newDialer(t, s, Options{Prompter: prompter(func(context.Context, executor.Prompt) (executor.Answer, error) {
			return password("right"), nil
		})})
		_, err := d.Dial(t.Context(), target(s), r.reporter())
		require.NoError(t, err)
		require.Equal(t, s.User+"@"+s.Addr+" with "+method, r.phases[3].Detail)
	}
}
