// Package sshauth logs in to an SSH server like the user's OpenSSH client, and
// explains failures.
//
// # Order
//
// Methods are tried in the order of PreferredAuthentications, by default
// publickey, keyboard-interactive, password; methods that the server does not
// list, or that the configuration turns off, are skipped. After a partial
// success (the first factor of two) the choice starts over.
//
// Keys are offered in this order: certificates from files whose private key is
// available; keys of the agent that match an IdentityFile; key files set by a
// flag; all other keys of the agent, unless IdentitiesOnly; other key files
// that the agent does not hold. Servers end the connection after a few refusals
// (OpenSSH: 6), so at most maxOffers keys are offered, which leaves one attempt
// for a password.
//
// # Prompts
//
// An encrypted key file is offered by its public key; its passphrase is
// prompted for only when the server accepts that key. Every prompt goes to an
// executor.Prompter, with the clocks around it stopped. Without a Prompter the
// login continues with methods that need none, and the Failure holds the
// prompt.
//
// # Secrets
//
// Answers stay in memory only while they are used. A passphrase is copied once
// into bytes, which are cleared. Go's strings cannot be cleared: those that the
// Prompter returns, and the copies that x/crypto/ssh makes of a password, last
// until they are garbage-collected. Nothing in this package keeps, formats or
// logs an answer, and no message has the address of the agent.
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
