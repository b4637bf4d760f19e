package sshauth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"

	"mcpdbg/internal/wording"
	"mcpdbg/session/executor"
)

// A Failure is a failed login.
type Failure struct {
	Code executor.StartCode // AuthDenied and its kin; NetLost, StartCancelled
	User string
	// Tried are the keys that were offered, by their source ("agent: comment",
	// "file ~/.ssh/id_rsa", "certificate ..."), then the other methods.
	Tried []string
	// Wants are the methods that the server listed last, Accepted those that
	// succeeded but were not enough. Both are safe to display.
	Wants    []string
	Accepted []string
	// Remarks are the reasons why keys were skipped.
	Remarks []string
	Said    string // the server's text in keyboard-interactive, at most 4 KiB, untrusted
	Hint    string // what to try
	Err     error  // the cause, without what was tried

	keys int // of Tried
}

const shownRemarks = 3

// Error returns the cause, the attempts, the methods that the server wants, and
// the first remarks.
func (f *Failure) Error() string {
	parts := []string{f.Err.Error()}
	if len(f.Accepted) > 0 {
		parts = append(parts, "accepted so far: "+strings.Join(f.Accepted, ","))
	}
	if tried := f.tried(); tried != "" {
		parts = append(parts, "tried "+tried)
	}
	if len(f.Wants) > 0 {
		parts = append(parts, "the server wants "+strings.Join(f.Wants, ","))
	}
	if n := len(f.Remarks); n > 0 {
		parts = append(parts, "note: "+strings.Join(f.Remarks[:min(n, shownRemarks)], ", "))
	}
	return strings.Join(parts, "; ")
}

func (f *Failure) tried() string {
	var parts []string
	if f.keys > 0 {
		noun := "keys"
		if f.keys == 1 {
			noun = "key"
		}
		parts = append(parts, fmt.Sprintf("publickey (%d %s: %s)", f.keys, noun, strings.Join(f.Tried[:f.keys], ", ")))
	}
	return strings.Join(append(parts, f.Tried[f.keys:]...), ", ")
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// Explain turns the error of ssh.NewClientConn into a Failure. It returns nil
// when err is nil, or when the login had not begun: the server was not reached
// or not verified.
func (a *Authenticator) Explain(err error) *Failure {
	if err == nil || !a.history.begun && !disconnected(err).tooMany() {
		return nil
	}
	s := &a.history
	f := &Failure{
		User:     plain(a.host.User),
		Tried:    s.tried(),
		Wants:    s.wants,
		Accepted: s.accepted,
		Remarks:  slices.Clone(s.remarks),
		Said:     s.said,
		keys:     len(s.keys),
	}
	a.classify(f, err)
	return f
}

// classify sets code, cause and hint: outside causes first, then prompts without an
// answer, then the plain refusal.
func (a *Authenticator) classify(f *Failure, err error) {
	s, d := &a.history, disconnected(err)
	if a.ctx.Err() != nil {
		err = context.Cause(a.ctx)
	}
	switch {
	case d.tooMany():
		f.set(executor.AuthTooMany, hintTooMany, "login as %s ended by the server after too many attempts", f.User)
	case d != nil:
		f.set(executor.AuthDenied, a.hintDenied(), "login as %s ended by the server: %s", f.User, d.message)
	case s.declined != nil:
		declined := a.history.declined
		code, hint := executor.AuthDenied, ""
		switch {
		case errors.Is(declined, context.Canceled):
			code = executor.StartCancelled
		case declined.question.kind == executor.PromptPassphrase:
			code, hint = executor.AuthPassphrase, hintPassphrase
		}
		f.set(code, hint, "login as %s: %w", f.User, declined)
	case a.ctx.Err() != nil || !errors.Is(err, errExhausted) && (isTimeout(err) || isLost(err)):
		f.classifyEnd(err)
	case s.unoffered > 0:
		f.set(executor.AuthTooMany, hintTooMany, "login as %s given up after %d keys; %d more not tried", f.User, f.keys, s.unoffered)
	case s.unanswered != nil:
		f.set(executor.AuthPrompt, hintPrompt(s.unanswered), "login as %s needs an answer to %q: %w", f.User, s.unanswered.text, executor.ErrNoPrompter)
	case s.locked != "":
		f.set(executor.AuthPassphrase, hintPassphrase, "login as %s denied, without the right passphrase for key %s", f.User, s.locked)
	case errors.Is(err, errExhausted):
		f.set(executor.AuthDenied, a.hintDenied(), "login as %s denied", f.User)
	default:
		f.set(executor.AuthDenied, a.hintDenied(), "login as %s failed: %w", f.User, err)
	}
}

func (f *Failure) set(code executor.StartCode, hint, format string, args ...any) {
	f.Code, f.Hint, f.Err = code, hint, fmt.Errorf(format, args...)
}

// classifyEnd classifies a login that was cut short: cancelled, too slow, or without a
// connection.
func (f *Failure) classifyEnd(err error) {
	switch {
	case errors.Is(err, context.Canceled):
		f.set(executor.StartCancelled, "", "login as %s cancelled: %w", f.User, err)
	case isLost(err):
		f.set(executor.NetLost, hintLost, "connection lost during the login as %s: %w", f.User, err)
	default:
		f.set(executor.AuthTimeout, hintTimeout, "login as %s took too long: %w", f.User, err)
	}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}

func isLost(err error) bool {
	if isTimeout(err) {
		return false
	}
	for _, lost := range []error{io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, lost) {
			return true
		}
	}
	var opErr *net.OpError
	var lost *executor.LostError
	return errors.As(err, &opErr) || errors.As(err, &lost)
}

type disconnect struct {
	message string // quoted, so safe to display
}

// x/crypto/ssh does not export the type.
var disconnectText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`ssh: disconnect, reason \d+: (".*")`)
})

// disconnected returns the server's disconnect message in err, or nil.
func disconnected(err error) *disconnect {
	m := disconnectText().FindStringSubmatch(err.Error())
	if m == nil {
		return nil
	}
	return &disconnect{message: wording.Cut(m[1], maxQuestion)}
}

// tooMany reports whether the server counted more attempts than it allows.
func (d *disconnect) tooMany() bool {
	return d != nil && strings.Contains(strings.ToLower(d.message), "too many auth")
}

const (
	hintTooMany = "servers count every key: set the right one with IdentityFile, and set IdentitiesOnly yes, " +
		"for this host in ~/.ssh/config"
	hintPassphrase = "load the key into the agent once: ssh-add"
	hintAnswer     = "run mcpdbg in a terminal to answer prompts, or set up a key that needs no passphrase"
	hintTimeout    = "try ssh to the same host: if that is slow too, the server's login is slow (DNS, PAM)"
	hintLost       = "the server may allow fewer attempts: set the right key with IdentityFile and IdentitiesOnly yes"
	hintHardware   = "FIDO keys sign through the agent or OpenSSH only: load it with ssh-add, or use --ssh-transport binary"
	hintElse       = "the server wants a method that only the OpenSSH client supports: use --ssh-transport binary"
	hintNoKey      = "no key was found: load one with ssh-add, or set it with --ssh-identity, or with IdentityFile in ~/.ssh/config"
	hintDenied     = "check the user name, and that one of these keys is in the server's authorized_keys\n" + HintAccount
	hintSecret     = "check the user name and the password\n" + HintAccount
)

// HintAccount covers accounts that accept no key and no password.
const HintAccount = "ask the owner of the host whether the account is locked, expired or without a valid shell: only the server's log shows that"

func hintPrompt(q *question) string {
	if q.kind == executor.PromptPassphrase {
		return hintPassphrase
	}
	return hintAnswer
}

// hintDenied depends on the methods that could have worked.
func (a *Authenticator) hintDenied() string {
	s := &a.history
	possible := slices.ContainsFunc(s.wants, func(m string) bool { return m == publicKey || m == keyboard || m == password })
	switch {
	case s.hardware:
		return hintHardware
	case !possible && len(s.wants) > 0:
		return hintElse
	case slices.Contains(s.wants, publicKey) && len(s.keys) == 0:
		return hintNoKey
	case len(s.keys) > 0:
		return hintDenied
	default:
		return hintSecret
	}
}
