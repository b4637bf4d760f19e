//go:build long

package smoke_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh/knownhosts"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/verify"
	"mcpdbg/sshexec/sshtest"
)

// A labKind is a problem of some hosts in a lab.
type labKind struct {
	name  string
	hosts int
	phase verify.Phase
	cause verify.Cause
	code  string
}

// labKinds are 200 hosts.
var labKinds = []labKind{
	{"good", 125, verify.PhaseDone, "", ""},
	{"refuses", 10, verify.PhaseConnect, verify.CauseConnect, "net.refused"},
	{"swallows", 5, verify.PhaseConnect, verify.CauseConnect, "net.timeout"},
	{"silent", 5, verify.PhaseConnect, verify.CauseConnect, "net.timeout"},
	{"changed", 10, verify.PhaseHostKey, verify.CauseHostKey, "hostkey.changed"},
	{"denied", 10, verify.PhaseAuth, verify.CauseAuth, "auth.denied"},
	{"lacks", 10, verify.PhaseStart, verify.CauseExec, "start.notfound"},
	{"banner", 10, verify.PhaseDone, "", ""},
	{"dies", 10, verify.PhaseHandshake, verify.CauseHandshake, "exited"},
	{"orphan", 5, verify.PhaseShutdown, verify.CauseOrphan, "shutdown.orphan"},
}

// A lab is one sshd that acts as 200 hosts, which are addresses of the loopback
// interface. From the address the user's startup file and the server know which
// problem to cause.
type lab struct {
	server *sshtest.Server
	user   *sshtest.Account
	config string   // ssh_config with all hosts
	hosts  []string // names, in an order that mixes the kinds
	kinds  map[string]labKind
}

// labServer is the command on the hosts, found on the PATH of their user.
const labServer = "lab-server"

// address returns the address of the i-th host of a kind.
func (lab) address(kind, i int) string { return fmt.Sprintf("127.0.%d.%d", kind+1, i+1) }

func newLab(t testing.TB) *lab {
	t.Helper()
	l := &lab{user: sshtest.User(t, clitest.Need(t, "bash")), kinds: make(map[string]labKind)}
	l.server = sshtest.OpenSSH(t, sshtest.Options{User: l.user.Name, HostKeys: []string{"ed25519"}, AllAddresses: true, LogLevel: "INFO"})
	l.writeFiles(t)
	l.writeConfig(t)
	return l
}

// writeFiles writes the user's files on the hosts.
func (l *lab) writeFiles(t testing.TB) {
	t.Helper()
	at := func(kind string) string {
		i := slices.IndexFunc(labKinds, func(k labKind) bool { return k.name == kind })
		return fmt.Sprintf(`*" 127.0.%d."*`, i+1)
	}
	startup := fmt.Sprintf("case $SSH_CONNECTION in\n%s) ;;\n*) PATH=%s/bin:$PATH ;;\nesac\ncase $SSH_CONNECTION in\n%s) echo 'Welcome to the lab' ;;\nesac\n",
		at("lacks"), l.user.Home, at("banner"))
	server := fmt.Sprintf("#!/bin/sh\ncase $SSH_CONNECTION in\n%s) read -r line; echo 'panic: no database' >&2; exit 4 ;;\n%s) sleep 600 </dev/null >/dev/null 2>&1 & ;;\nesac\nexec %s %s\n",
		at("dies"), at("orphan"), clitest.Binary(), console.DemoServer)
	require.NoError(t, os.WriteFile(filepath.Join(l.user.Home, ".bashrc"), []byte(startup), 0o644))
	bin := filepath.Join(l.user.Home, "bin")
	require.NoError(t, os.Mkdir(bin, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(bin, labServer), []byte(server), 0o755))
}

// writeConfig writes the ssh_config and known_hosts, in which the hosts have names.
func (l *lab) writeConfig(t testing.TB) {
	t.Helper()
	dir := t.TempDir()
	_, port, err := net.SplitHostPort(l.server.Addr)
	require.NoError(t, err)
	other := sshtest.NewKey(t, "ed25519", filepath.Join(dir, "other"))
	ports := map[string]string{"refuses": "1", "swallows": swallower(t), "silent": silence(t)}
	var config, known strings.Builder
	for n, kind := range labKinds {
		for i := range kind.hosts {
			name, address := fmt.Sprintf("%s-%d", kind.name, i+1), l.address(n, i)
			l.hosts = append(l.hosts, name)
			l.kinds[name] = kind
			fmt.Fprintf(&config, "Host %s\n\tHostName %s\n\tPort %s\n", name, address, cmp.Or(ports[kind.name], port))
			key := l.server.HostKeys[0]
			if kind.name == "changed" {
				key = other.PublicKey()
			}
			known.WriteString(knownhosts.Line([]string{net.JoinHostPort(address, port)}, key) + "\n")
		}
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(l.hosts), func(i, j int) { l.hosts[i], l.hosts[j] = l.hosts[j], l.hosts[i] })
	knownHosts := filepath.Join(dir, "known_hosts")
	require.NoError(t, os.WriteFile(knownHosts, []byte(known.String()), 0o600))
	fmt.Fprintf(&config, "Host denied-*\n\tIdentityFile %s\nHost * !denied-*\n\tIdentityFile %s\n", other.File, l.server.KeyFile)
	fmt.Fprintf(&config, "Host *\n\tUser %s\n\tIdentitiesOnly yes\n\tIdentityAgent none\n\tUserKnownHostsFile %s\n\tGlobalKnownHostsFile /dev/null\n",
		l.user.Name, knownHosts)
	l.config = filepath.Join(dir, "ssh_config")
	require.NoError(t, os.WriteFile(l.config, []byte(config.String()), 0o600))
}

// silence returns the port, on every address, of a listener that accepts
// connections and sends nothing.
func silence(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp4", "0.0.0.0:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		var taken []net.Conn // kept, or the collector would close them
		for {
			conn, err := listener.Accept()
			if err != nil {
				for _, c := range taken {
					_ = c.Close()
				}
				return
			}
			taken = append(taken, conn)
		}
	}()
	return portOf(t, listener.Addr())
}

// swallower returns the port, on every address, of a listener with a full
// backlog: the system drops new connections, as a firewall does.
func swallower(t testing.TB) string {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = syscall.Close(socket) })
	require.NoError(t, syscall.Bind(socket, new(syscall.SockaddrInet4)))
	require.NoError(t, syscall.Listen(socket, 0))
	name, err := syscall.Getsockname(socket)
	require.NoError(t, err)
	port := strconv.Itoa(name.(*syscall.SockaddrInet4).Port)
	for { // until there is no room
		conn, err := net.DialTimeout("tcp4", net.JoinHostPort("127.0.0.1", port), 300*time.Millisecond)
		if err != nil {
			return port
		}
		t.Cleanup(func() { _ = conn.Close() })
	}
}

func portOf(t testing.TB, addr net.Addr) string {
	t.Helper()
	_, port, err := net.SplitHostPort(addr.String())
	require.NoError(t, err)
	return port
}

// smoke runs mcpdbg smoke on all hosts.
func (l *lab) smoke(t testing.TB, flags ...string) *exec.Cmd {
	t.Helper()
	cmd := clitest.CommandWithin(t, 4*clitest.WaitLimit, clitest.Binary()) // two hundred hosts on a small machine
	mark := ""
	for _, entry := range cmd.Env {
		if value, ok := strings.CutPrefix(entry, clitest.MarkName+"="); ok {
			mark = value
		}
	}
	cmd.Args = slices.Concat(cmd.Args, []string{"smoke", "-F", l.config, "--hosts", "-", "-e", clitest.MarkName + "=" + mark}, flags, []string{"--", labServer})
	cmd.Stdin = strings.NewReader(strings.Join(l.hosts, "\n"))
	return cmd
}

// waitIdle waits until the user has no more processes on the hosts: guards take a
// moment to end.
func (l *lab) waitIdle(t testing.TB) {
	t.Helper()
	var left []string
	require.Eventually(t, func() bool {
		left = l.processes(t)
		return len(left) == 0
	}, clitest.WaitLimit, 50*time.Millisecond, "processes on the hosts: %v", left)
}

func (l *lab) processes(t testing.TB) (found []string) {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(t, err)
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if err == nil && info.Sys().(*syscall.Stat_t).Uid == l.user.UID {
			command, _ := os.ReadFile(filepath.Join(dir, "cmdline")) // may have ended
			found = append(found, filepath.Base(dir)+" "+string(command))
		}
	}
	return found
}
