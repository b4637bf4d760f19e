package link

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/knownhosts"
	"mcpdbg/sshexec/sshconfig"
)

// A verifier decides whether the host key of one hop is the right one.
type verifier struct {
	ctx      context.Context
	host     *sshconfig.Host
	hop      string
	name     string // in known_hosts
	port     int
	db       *knownhosts.DB
	prompter executor.Prompter
	policy   newKeyPolicy
	verified func(ssh.PublicKey) // called once
	notices  []executor.Notice

	// x/crypto verifies on one goroutine, which NewClientConn waits for.
	key ssh.PublicKey
	err error
}

func newVerifier(ctx context.Context, r *records, h *sshconfig.Host, hop string) *verifier {
	v := &verifier{ctx: ctx, host: h, hop: hop, name: h.HostName, port: h.Port}
	if h.HostKeyAlias != "" {
		// The alias is the whole name then; it would not include a port.
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

// A newKeyPolicy decides about host keys that are not on record. A key that differs from
// the record is always refused.
type newKeyPolicy int

const (
	askNewKey newKeyPolicy = iota
	refuseNewKey
	acceptNewKey
)

// The options come from flags and take precedence over StrictHostKeyChecking.
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

// A configuration that turns off the check of host keys is never honoured.
func uncheckedNotices(h *sshconfig.Host) []executor.Notice {
	if h.StrictHostKeyChecking != "no" {
		return nil
	}
	return []executor.Notice{{
		Code: "config.ignored",
		Text: h.Alias + ": " + hintUnchecked,
		Hint: "--accept-new, or StrictHostKeyChecking accept-new, records keys of new hosts without asking",
	}}
}

// apply sets which keys c requests, and the function that checks them.
func (v *verifier) apply(c *ssh.ClientConfig) {
	c.HostKeyAlgorithms = v.db.Algorithms(v.name, v.port, v.host.HostKeyAlgorithms)
	c.HostKeyCallback = func(_ string, _ net.Addr, key ssh.PublicKey) error { return v.verify(key) }
}

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

// judge accepts a key that is on record, or that the user or the policy accepts.
func (v *verifier) judge(key ssh.PublicKey) error {
	err := v.db.Check(v.name, v.port, key)
	var unknown *knownhosts.UnknownError
	if !errors.As(err, &unknown) {
		return err // nil, changed or revoked: not up to the user
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
		Text: fmt.Sprintf("The host %s is new: no key of it is on record.\nIt sent a key of type %s, fingerprint\n%s\n"+
			"Compare the fingerprint with the one from its owner. Accept it, and write it to known_hosts?",
			u.Name(), u.Type, u.Fingerprint),
	}
}

// A failure to record the key is only a notice: the key was accepted.
func (v *verifier) record(u *knownhosts.UnknownError, text string) error {
	file := ""
	for _, f := range v.host.UserKnownHosts {
		if f != "" && f != "none" {
			file = f
			break
		}
	}
	err := errors.New("the configuration has no known_hosts file")
	if file != "" {
		err = knownhosts.Add(v.ctx, file, u.Host, u.Port, u.Key, v.host.HashKnownHosts)
	}
	var changed *knownhosts.ChangedError
	var revoked *knownhosts.RevokedError
	switch {
	case errors.As(err, &changed), errors.As(err, &revoked):
		return err // another key was recorded during the prompt
	case err != nil:
		v.notices = append(v.notices, executor.Notice{
			Code: "hostkey.notwritten",
			Text: fmt.Sprintf("host key of %s was accepted but could not be recorded: %v", v.hop, err),
			Hint: "add this line to known_hosts: " + u.Line(),
		})
	case text != "":
		v.notices = append(v.notices, executor.Notice{Code: "hostkey.accepted", Text: text})
	}
	return nil
}

type refusedKeyError struct {
	unknown *knownhosts.UnknownError
	err     error
}

func (e *refusedKeyError) Error() string {
	if errors.Is(e.err, executor.ErrNoPrompter) { // its text may repeat the prompt
		return fmt.Sprintf("%v; %v", e.unknown, executor.ErrNoPrompter)
	}
	return fmt.Sprintf("%v: %v", e.unknown, e.err)
}
func (e *refusedKeyError) Unwrap() []error {
	return []error{e.unknown, e.err}
}

// records caches known_hosts files: connecting to a hundred hosts must not read them a
// hundred times. The zero value is ready for use.
type records struct {
	mu   sync.Mutex
	read map[string]record // by file names
}

type record struct {
	state    string // of the files when they were read
	db       *knownhosts.DB
	warnings []knownhosts.Warning
}

func (r *records) load(files []string) (*knownhosts.DB, []knownhosts.Warning) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name, state := strings.Join(files, "\x00"), state(files)
	known, ok := r.read[name]
	if !ok || known.state != state {
		known.state = state
		known.db, known.warnings = knownhosts.Load(files...)
		if r.read == nil {
			r.read = map[string]record{}
		}
		r.read[name] = known
	}
	return known.db, known.warnings
}

// state returns a text that changes when one of the files does.
func state(files []string) string {
	var b strings.Builder
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			fmt.Fprintf(&b, "%v\n", err)
			continue
		}
		fmt.Fprintf(&b, "%d %d\n", info.Size(), info.ModTime().UnixNano())
	}
	return b.String()
}
