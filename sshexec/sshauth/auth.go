package sshauth

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/crypto/ssh"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshconfig"
)

const (
	// OpenSSH servers end the connection at the sixth refused key (MaxAuthTries 6).
	maxOffers = 5
	// defaultTries is OpenSSH's NumberOfPasswordPrompts.
	defaultTries = 3
)

// The supported methods, by their names of RFC 4252 and 4256, in the default order.
const (
	publicKey = "publickey"
	keyboard  = "keyboard-interactive"
	password  = "password"
)

// errExhausted ends a login in which nothing is left to try.
var errExhausted = errors.New("no login method is left")

// Options are the settings of a login. Host is required.
type Options struct {
	Host *sshconfig.Host
	// Hop names the host in prompts: user@host:port.
	Hop string
	// Prompter is asked for passphrases, passwords and challenges; nil means
	// that no user can be asked.
	Prompter executor.Prompter
}

// An Authenticator is one login to one host. It is used only by the goroutine
// that calls ssh.NewClientConn, on which the callbacks run.
type Authenticator struct {
	ctx      context.Context
	host     *sshconfig.Host
	hop      string
	prompter executor.Prompter
	order    []string // in the order to try them
	tries    int      // for passphrases, passwords and challenges
	home     string   // shown as ~

	agent   *agentLink // nil: none, or not connected yet
	keys    *queue     // nil: not gathered yet
	rounds  rounds
	asked   int // attempts with a password since the last step that succeeded
	history history

	// restarts the clocks that expectPerson stopped
	resume func()
}

// New returns an Authenticator for one login. It reads and connects to nothing
// before the server has listed its methods.
//
// ctx limits the login: once it is done, no further key is offered and nothing
// is prompted for. It must be cancelled, with the cause, when the connection is
// lost: x/crypto/ssh does not distinguish that from a refusal, so the user
// could be asked for the password of a dead connection. The clocks of an
// executor.WithPausableTimeout around it are stopped during prompts.
func New(ctx context.Context, o Options) *Authenticator {
	tries := o.Host.NumberOfPasswordPrompts
	if tries <= 0 {
		tries = defaultTries
	}
	return &Authenticator{
		ctx:      ctx,
		host:     o.Host,
		hop:      o.Hop,
		prompter: o.Prompter,
		order:    methodOrder(o.Host),
		tries:    tries,
		home:     homeDir(),
		resume:   func() {},
	}
}

func methodOrder(h *sshconfig.Host) []string {
	order := h.PreferredAuthentications
	if len(order) == 0 {
		order = []string{publicKey, keyboard, password}
	}
	on := map[string]bool{publicKey: h.Pubkey, keyboard: h.KbdInteractive, password: h.Password}
	return slices.DeleteFunc(slices.Clone(order), func(name string) bool { return !on[name] })
}

// Apply makes c log in with this Authenticator. It sets only AuthCallback.
func (a *Authenticator) Apply(c *ssh.ClientConfig) { c.AuthCallback = a.next }

// Close closes the connection to the agent. Call it once ssh.NewClientConn has
// returned; to end a login early, cancel the context.
func (a *Authenticator) Close() {
	a.resume()
	a.agent.close()
}

// x/crypto/ssh calls next after each refusal and each step that succeeded.
func (a *Authenticator) next(c *ssh.ClientAuthContext) (ssh.AuthMethod, error) {
	a.resume()
	a.observe(c)
	if a.ctx.Err() != nil {
		return nil, context.Cause(a.ctx)
	}
	if a.history.declined != nil {
		return nil, a.history.declined
	}
	for _, name := range a.order {
		if !slices.Contains(c.AllowedMethods, name) {
			continue
		}
		if m := a.attempt(name); m != nil {
			return m, nil
		}
	}
	return nil, errExhausted
}

// After a step that succeeded the counts restart: the next one may be another prompt of
// the same method.
func (a *Authenticator) observe(c *ssh.ClientAuthContext) {
	s := &a.history
	s.begun = true
	s.wants = names(c.AllowedMethods)
	if len(c.PartialSuccessMethods) > len(s.accepted) {
		a.asked, a.rounds.attempts = 0, 0
	}
	s.accepted = names(c.PartialSuccessMethods)
}

// attempt returns nil if a method has no more.
func (a *Authenticator) attempt(name string) ssh.AuthMethod {
	switch name {
	case publicKey:
		return a.offerKey()
	case keyboard:
		return a.answerRounds()
	default:
		return a.askPassword()
	}
}

// The user may have to confirm on a phone or a token.
const personElsewhere = time.Minute

// expectPerson stops the clocks until the server replies, for personElsewhere at most:
// after an answered challenge the user may have to confirm a push message.
func (a *Authenticator) expectPerson() {
	a.resume()
	resume := executor.Pause(a.ctx)
	limit := time.AfterFunc(personElsewhere, resume)
	a.resume = func() {
		limit.Stop()
		resume()
	}
}
