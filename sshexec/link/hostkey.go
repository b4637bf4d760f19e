package link

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/knownhosts"
	"mcpdbg/sshexec/sshconfig"
)

// A verifier decides whether the host key of one hop is the right one.
type verifier struct {
	ctx      context.Context // bounds questions
	host     *sshconfig.Host
	hop      string
	name     string // under which known_hosts has it
	port     int
	db       *knownhosts.DB
	prompter executor.Prompter
	policy   newKeyPolicy
	verified func(ssh.PublicKey) // called once
	notices  []executor.Notice

	// x/crypto verifies on one goroutine, which NewClientConn waits for.
	key ssh.PublicKey // that was verified
	err error         // why none was
}

// newVerifier looks into the known_hosts files of h.
func newVerifier(ctx context.Context, r *records, h *sshconfig.Host, hop string) *verifier {
	v := &verifier{ctx: ctx, host: h, hop: hop, name: h.HostName, port: h.Port}
	if h.HostKeyAlias != "" {
		// The alias is the whole name then; a port would not be part of it.
		v.name, v.port = h.HostKeyAlias, 22
	}
	db, warnings := r.load(slices.Concat(h.UserKnownHosts, h.GlobalKnownHosts))
	v.db = db
	for _, w := range warnings {
		v.notices = append(v.notices, executor.Notice{Code: "hostkey.file", Text: w.String()})
	}
	v.notices = append(v.notices, uncheckedNotices(h)...)
	return v
}

// A newKeyPolicy says what happens to a host key that is not on record. One that
// differs from the record is always refused.
type newKeyPolicy int

const (
	askNewKey newKeyPolicy = iota
	refuseNewKey
	acceptNewKey
)

// newKeyPolicy returns the policy for h. The options come from flags and win over
// StrictHostKeyChecking.
func (o *Options) newKeyPolicy(h *sshconfig.Host) newKeyPolicy {
	switch {
	case o.AcceptNew:
		return acceptNewKey
	case h.StrictHostKeyChecking == "yes":
		return refuseNewKey
	case h.StrictHostKeyChecking == "accept-new" && !o.NoAcceptNew:
		return acceptNewKey
	}
	return askNewKey
}

// uncheckedNotices reports that the configuration would turn the check of host
// keys off, which is never honoured.
func uncheckedNotices(h *sshconfig.Host) []executor.Notice {
	if h.StrictHostKeyChecking != "no" {
		return nil
	}
	return []executor.Notice{{
		Code: "config.ignored",
		Text: fmt.Sprintf("StrictHostKeyChecking no is not honoured for %s: host keys are always checked", h.Alias),
		Hint: "--accept-new, or StrictHostKeyChecking accept-new, records keys of new hosts without asking",
	}}
}

// apply sets which keys c asks for, and who judges them.
func (v *verifier) apply(c *ssh.ClientConfig) {
	c.HostKeyAlgorithms = v.db.Algorithms(v.name, v.port, v.host.HostKeyAlgorithms)
	c.HostKeyCallback = func(_ string, _ net.Addr, key ssh.PublicKey) error { return v.verify(key) }
}

// errStrict is why an unknown key is refused without a question.
var errStrict = errors.New("StrictHostKeyChecking yes refuses unknown keys")

var errKeySwapped = errors.New("the host key changed in the middle of the connection")

// verify is called in each key exchange, of which there may be many.
func (v *verifier) verify(key ssh.PublicKey) error {
	if v.key != nil {
		if !bytes.Equal(v.key.Marshal(), key.Marshal()) {
			return errKeySwapped
		}
		return nil
	}
	if v.err = v.judge(key); v.err != nil {
		return v.err
	}
	v.key = key
	v.verified(key)
	return nil
}

// judge takes a key that is on record, or that somebody vouches for.
func (v *verifier) judge(key ssh.PublicKey) error {
	err := v.db.Check(v.name, v.port, key)
	var unknown *knownhosts.UnknownError
	if !errors.As(err, &unknown) {
		return err // nil, or changed, or revoked: not a matter of opinion
	}
	switch v.policy {
	case refuseNewKey:
		return &refusedKeyError{unknown: unknown, err: errStrict}
	case acceptNewKey:
		return v.record(unknown, fmt.Sprintf("new host key of %s was accepted: %s %s", v.hop, unknown.Type, unknown.Fingerprint))
	}
	if v.prompter == nil {
		return &refusedKeyError{unknown: unknown, err: executor.ErrNoPrompter}
	}
	resume := executor.Pause(v.ctx)
	answer, askErr := v.prompter.Ask(v.ctx, v.question(unknown))
	resume()
	switch {
	case v.ctx.Err() != nil:
		return context.Cause(v.ctx)
	case askErr != nil:
		return &refusedKeyError{unknown: unknown, err: askErr}
	case !answer.Yes && (len(answer.Values) == 0 || strings.TrimSpace(answer.Values[0]) != unknown.Fingerprint):
		return &refusedKeyError{unknown: unknown, err: errors.New("the key was not accepted")}
	}
	return v.record(unknown, "")
}

func (v *verifier) question(u *knownhosts.UnknownError) executor.Prompt {
	return executor.Prompt{
		Kind: executor.PromptHostKey,
		Hop:  v.hop,
		User: v.host.User,
		Text: fmt.Sprintf("The host %s is new: no key of it is on record.\nIt sent a key of type %s, fingerprint\n%s\n%s\n"+
			"Compare the fingerprint with what its owner says. Accept it, and write it to known_hosts?",
			u.Name(), u.Type, u.Fingerprint, strings.TrimRight(knownhosts.Randomart(u.Key), "\n")),
	}
}

// record writes the key down. That it cannot is no reason to turn back: the key
// was accepted.
func (v *verifier) record(u *knownhosts.UnknownError, text string) error {
	file := ""
	for _, f := range v.host.UserKnownHosts {
		if f != "" && f != "none" {
			file = f
			break
		}
	}
	err := errors.New("the configuration names no file for it")
	if file != "" {
		err = knownhosts.Add(v.ctx, file, u.Host, u.Port, u.Key, v.host.HashKnownHosts)
	}
	var changed *knownhosts.ChangedError
	var revoked *knownhosts.RevokedError
	switch {
	case errors.As(err, &changed), errors.As(err, &revoked):
		return err // somebody has recorded another key while we asked
	case err != nil:
		v.notices = append(v.notices, executor.Notice{
			Code: "hostkey.notwritten",
			Text: fmt.Sprintf("host key of %s was accepted and could not be recorded: %v", v.hop, err),
			Hint: "the line for known_hosts is: " + u.Line(),
		})
	case text != "":
		v.notices = append(v.notices, executor.Notice{Code: "hostkey.accepted", Text: text})
	}
	return nil
}

// A refusedKeyError is an unknown host key that nobody vouched for.
type refusedKeyError struct {
	unknown *knownhosts.UnknownError
	err     error
}

func (e *refusedKeyError) Error() string {
	if errors.Is(e.err, executor.ErrNoPrompter) { // whose text may repeat the question
		return fmt.Sprintf("%v; %v", e.unknown, executor.ErrNoPrompter)
	}
	return fmt.Sprintf("%v: %v", e.unknown, e.err)
}
func (e *refusedKeyError) Unwrap() []error {
	return []error{e.unknown, e.err}
}
