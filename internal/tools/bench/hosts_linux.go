package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"mcpdbg/sshexec/sshtest"
)

// All hosts are the same sshd.
const (
	hostCount = 16
	hostJobs  = 8
)

func (l *lab) ssh() (*sshtest.Server, error) {
	_, err := l.make("sshd", func(string) error {
		return l.tb.do(func(tb testing.TB) {
			l.host = sshtest.OpenSSH(tb, sshtest.Options{LogLevel: "INFO", Aliases: hostNames()})
		})
	})
	return l.host, err
}

func hostNames() []string {
	var names []string
	for i := range hostCount {
		names = append(names, fmt.Sprintf("host-%d", i))
	}
	return names
}

func (l *lab) hosts() (string, error) {
	return l.make("hosts.txt", func(path string) error {
		return os.WriteFile(path, []byte(strings.Join(hostNames(), "\n")+"\n"), 0o600)
	})
}

func hostBenches() []bench {
	return []bench{
		{id: "call-ssh", what: "`call` with a result of 100 MB from a host", peer: "ssh HOST SERVER", program: "ssh", goal: Goal{AtMost: 1.25, Memory: 64},
			bytes: func(*lab) int64 { return callBytes },
			sides: func(l *lab) (side, side, error) {
				host, err := l.ssh()
				if err != nil {
					return side{}, side{}, err
				}
				requests, err := l.requests()
				server := strings.Join(l.tiny(fmt.Sprint(callBytes)), " ")
				return shell(fmt.Sprintf("%s call --quiet -F %s --ssh %s --tool tool_0 -- %s | cat >/dev/null", l.mcpdbg, host.Config, host.Alias, server)),
					shell(fmt.Sprintf("ssh -F %s %s %s <%s | cat >/dev/null", host.Config, host.Alias, server, requests)), err
			}},
		{id: "smoke", what: fmt.Sprintf("`smoke` of %d hosts, %d at once", hostCount, hostJobs), peer: "xargs -P ssh", program: "xargs", rounds: 5,
			sides: func(l *lab) (side, side, error) {
				host, err := l.ssh()
				if err != nil {
					return side{}, side{}, err
				}
				names, err := l.hosts()
				if err != nil {
					return side{}, side{}, err
				}
				requests, err := l.requests()
				server := strings.Join(l.tiny(), " ")
				return l.with(l.tiny(), "smoke", "--quiet", "-F", host.Config, "--hosts", names, "--jobs", fmt.Sprint(hostJobs)),
					shell(fmt.Sprintf("xargs -P %d -I{} sh -c 'ssh -F %s {} %s <%s' <%s", hostJobs, host.Config, server, requests, names)), err
			}},
	}
}
