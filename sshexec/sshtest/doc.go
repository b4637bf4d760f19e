// Package sshtest starts SSH servers for tests, as net/http/httptest does for
// HTTP: real ones on the loopback interface, and one of our own that can be told
// to misbehave.
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
// known_hosts. Servers end with their test, with all that they have started.
package sshtest
