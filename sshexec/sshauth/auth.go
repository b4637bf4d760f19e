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

// Limits of a login.
const (
	// MaxOffers is how many keys are offered at most. OpenSSH servers end the
	// connection at the sixth refusal (MaxAuthTries 6).
	MaxOffers = 5
	// defaultTries is how often a passphrase, password or challenge is tried
	// when the configuration does not say; it is OpenSSH's
	// NumberOfPasswordPrompts.
	defaultTries = 3
)

// The methods that this package knows, by their names of RFC 4252 and 4256, in
// the order in which they are tried by default.
const (
	publicKey = "publickey"
	keyboard  = "keyboard-interactive"
	password  = "password"
)

// errExhausted ends a login in which nothing is left to try. Explain says what
// was tried.
var errExhausted = errors.New("no way to log in is left")

// Options say whom to log in, and where. Host is required.
type Options struct {
	Host *sshconfig.Host
	// Hop is how questions name the host: user@host:port.
	Hop string
	// Prompter is asked for passphrases, passwords and challenges; nil means
	// that nobody is there.
	Prompter executor.Prompter
}

// An Authenticator is one login to one host. It is used by one goroutine: the
// one that calls ssh.NewClientConn, which calls back from nowhere else.
type Authenticator struct {
	ctx      context.Context
	host     *sshconfig.Host
	hop      string
	prompter executor.Prompter
	order    []string // methods, in the order to try them
	tries    int      // for passphrases, passwords and challenges
	home     string   // shown as ~

	agent  *agentLink // nil: none, or not asked yet
	keys   *queue     // nil: not gathered yet
	rounds rounds
	asked  int // attempts with a password since the last step that succeeded
	story  story

	// resume lets the clocks go on that were stopped while the server waits for
	// something that a person does elsewhere; see expectPerson.
	resume func()
}

// New returns an Authenticator for one login. Nothing is read or connected to
// before the server has said which methods it allows.
//
// ctx bounds the login: once it is done no further key is offered and no
// question is asked. It must be done, with the cause, when the connection is
// gone: x/crypto/ssh does not tell that from a refusal, so that a person could
// be asked for the password of a dead connection. An executor.WithPatience
// around it stands still while somebody is asked.
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

// methodOrder is what the configuration lets us try.
func methodOrder(h *sshconfig.Host) []string {
	order := h.PreferredAuthentications
	if len(order) == 0 {
		order = []string{publicKey, keyboard, password}
	}
	on := map[string]bool{publicKey: h.Pubkey, keyboard: h.KbdInteractive, password: h.Password}
	return slices.DeleteFunc(slices.Clone(order), func(name string) bool { return !on[name] })
}

// Apply makes c log in with this Authenticator. It sets AuthCallback and
// nothing else.
func (a *Authenticator) Apply(c *ssh.ClientConfig) { c.AuthCallback = a.next }

// Close lets go of the agent. Call it once ssh.NewClientConn has returned; to
// end a login early, end the context.
func (a *Authenticator) Close() {
	a.resume()
	a.agent.close()
}

// next chooses the next attempt; x/crypto/ssh calls it after each refusal and
// each step that succeeded.
func (a *Authenticator) next(c *ssh.ClientAuthContext) (ssh.AuthMethod, error) {
	a.resume()
	a.hear(c)
	if a.ctx.Err() != nil {
		return nil, context.Cause(a.ctx)
	}
	if a.story.declined != nil {
		return nil, a.story.declined
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

// hear takes down what the server wants and has accepted. After a step that
// succeeded the counts begin anew: the next one may be another question of the
// same method.
func (a *Authenticator) hear(c *ssh.ClientAuthContext) {
	s := &a.story
	s.begun = true
	s.wants = names(c.AllowedMethods)
	if len(c.PartialSuccessMethods) > len(s.accepted) {
		a.asked, a.rounds.attempts = 0, 0
	}
	s.accepted = names(c.PartialSuccessMethods)
}

// attempt returns one more attempt with a method, nil when there is none.
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

// personElsewhere is how long the clocks stand still while the server waits for
// what a person does on a telephone or a token.
const personElsewhere = time.Minute

// expectPerson stops the clocks until the server answers, for personElsewhere
// at most: behind an answered challenge there may be a push message that
// somebody has to confirm.
func (a *Authenticator) expectPerson() {
	a.resume()
	resume := executor.Pause(a.ctx)
	limit := time.AfterFunc(personElsewhere, resume)
	a.resume = func() {
		limit.Stop()
		resume()
	}
}
