// Package sshtest starts SSH servers for tests, as net/http/httptest does for
// HTTP, and related programs.
//
// # Servers
//
//	OpenSSH          a real sshd that listens on the loopback interface
//	Inetd            a real sshd for each connection, started by a ProxyCommand: no port
//	OrdinaryOpenSSH  a real sshd of an ordinary user
//	Dropbear         a real dropbear
//	Fake             a server in this process that can be made to misbehave
//
// Every server comes with an ssh_config file, in which it is called "target",
// and with all files that it names: a key that may log in, a known_hosts file
// with the right host keys. So the tested code and the real ssh program connect
// to a server in the same way,
//
//	s := sshtest.OpenSSH(t, sshtest.Options{})
//	out, err := exec.Command("ssh", "-F", s.Config, s.Alias, "uname").Output()
//
// and no file of the user who runs the tests is read: no key, no agent, no
// known_hosts.
//
// # Between client and server
//
// With Options.Jump a server is reached through another one. NewProxy starts a
// proxy in between, which can cut, freeze or delay connections:
//
//	proxy := sshtest.NewProxy(t, s.Addr)
//	far := s.Through(t, proxy)
//
// Agent is a real ssh-agent, Master a real ssh that others can share.
//
// # Users
//
// User makes a temporary user of this system with a given login shell; a server
// with Options.User lets that user log in. CopyBinary puts the program of the test
// where that user can run it.
//
// # Cleanup and skipped tests
//
// Everything ends with its test, including all processes that were started
// through a server, even daemons: each has SSHTEST in its environment. The log
// of a server is shown when its test fails.
//
// A server stops shortly before the time limit of the tests, so that no test
// waits for it forever.
//
// If a program is not installed, or root is required, the test is skipped with
// the reason; with CI=true it fails instead. See Need. An account that cannot
// log in, because it is locked or has no shell, skips a test too.
package sshtest
