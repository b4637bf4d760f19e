// Package sshauth logs in to an SSH server the way the user's OpenSSH client
// would, and says why when that does not work.
//
// # Order
//
// Methods are tried in the order of PreferredAuthentications, by default
// publickey, keyboard-interactive, password; one that the server does not list,
// or that the configuration switches off, is left out. A method that succeeds in
// part (the first factor of two) begins the choice anew.
//
// Keys are offered in this order: certificates from files whose private half is
// at hand; keys of the agent that match an IdentityFile; key files that a flag names;
// all other keys of the agent, unless IdentitiesOnly; other key files that the
// agent does not hold. Servers
// end the connection after a handful of refusals (OpenSSH: 6), so MaxOffers keys
// are offered at most, which leaves one attempt for a password.
//
// # Questions
//
// A key file that is encrypted is offered by its public half; its passphrase is
// asked for only when the server wants that key. Every question goes to an
// executor.Prompter, with the clocks around it stopped. When nobody is there the
// login goes on with what needs nobody, and the Failure holds the question.
//
// # Secrets
//
// Answers live in memory only while they are used. A passphrase is copied once
// into bytes, which are cleared. Go's strings cannot be cleared: those that the
// Prompter returns, and the copies that x/crypto/ssh makes of a password, last
// until they are collected as garbage. Nothing in this package keeps, formats or
// logs an answer, and the address of the agent is in no message.
//
// # Use
//
//	a := sshauth.New(ctx, sshauth.Options{Host: host, Hop: hop, Prompter: prompter})
//	defer a.Close()
//	a.Apply(config)
//	conn, chans, reqs, err := ssh.NewClientConn(netConn, addr, config)
//	if err != nil {
//		failure := a.Explain(err) // nil: it failed before the login began
//	}
package sshauth
