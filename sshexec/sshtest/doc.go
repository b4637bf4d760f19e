// Package sshtest starts SSH servers for tests, as net/http/httptest does for
// HTTP, and what belongs to them.
//
// # Servers
//
//	OpenSSH          a real sshd that listens on the loopback interface
//	Inetd            a real sshd for each connection, started by a ProxyCommand: no port
//	OrdinaryOpenSSH  a real sshd that is not root's
//	Dropbear         a real dropbear
//	Fake             one of our own in this process, that misbehaves as it is told
//
// Every server comes with an ssh_config file, in which it is called "target",
// and with everything that the file names: a key that may log in, a known_hosts
// file with the right host keys. So what is tested and the real ssh program are
// pointed at a server in the same way,
//
//	s := sshtest.OpenSSH(t, sshtest.Options{})
//	out, err := exec.Command("ssh", "-F", s.Config, s.Alias, "uname").Output()
//
// and nothing of the person who runs the tests is read: no key, no agent, no
// known_hosts.
//
// # Between client and server
//
// With Options.Jump a server is reached through another one. NewProxy puts a
// network of our own in between, which can be cut, frozen or slow:
//
//	proxy := sshtest.NewProxy(t, s.Addr)
//	far := s.Through(t, proxy)
//
// Agent is a real ssh-agent, Master a real ssh that others can share.
//
// # Users
//
// User makes a throw-away user of this system with a given login shell, whom
// Options.User logs in; CopyBinary puts the program of the test where that user
// can run it.
//
// # Ends and lacks
//
// Everything ends with its test, with all processes that were started through
// it, wherever they have gone: each has SSHTEST in its environment, from which
// it is known. The log of a server is shown when its test fails.
//
// A server lives for three minutes at most, so that no test waits for it without
// a bound.
//
// What is not installed, or takes root, makes a test skip with the reason; with
// CI=true the test fails instead. See Need. An account that cannot log in, because
// it is locked or has no shell, makes a test skip too.
package sshtest
