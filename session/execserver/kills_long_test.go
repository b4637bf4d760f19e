//go:build long && linux

package execserver

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpdbg/session/exectest"
	"mcpdbg/sshexec/sshtest"
)

var rounds = flag.Int("rounds", 10, "how often each process is killed")

// nonceName is a variable that all processes of a round carry.
const nonceName = "KILLS"

// load is how much later than stated a busy machine may notice an end.
const load = 20 * time.Second

// hard is a server with processes that are hard to find and to end.
var hard = []string{
	"spawn", "group", "ignore", "TERM", "pid", "hang", "end", "spawn", "daemon", "pid", "hang", "end",
	"spawn", "clean", "ignore", "TERM", "pid", "hang", "end", "pid", "ignore", "TERM", "hang",
}

// A place is where an exec server runs, as processes of their own that can be killed.
type place struct {
	stdio   string                       // the target of the client, which starts the server; "" if it runs already
	listen  func(folder string) []string // starts the server
	network string                       // of its address, and of the link
	window  map[string]time.Duration     // by victim: how long processes may be left
}

// TestLongKills kills clients, links and servers at random moments, during the start of a process
// and later: nothing is left beyond the stated windows.
func TestLongKills(t *testing.T) {
	t.Parallel()
	program, codex := sshtest.CopyBinary(t), codexProgram(t)
	const keep = 2 * time.Second
	// A guard ends what it guards with its lease, and Codex the rest with the session.
	const detached = 103 * time.Second
	for name, p := range map[string]place{
		"own stdio":   {stdio: "mcpdbg@" + program, window: map[string]time.Duration{"client": 0, "server": 0}},
		"codex stdio": {stdio: codexCommand(codex), window: map[string]time.Duration{"client": 0, "server": 0}},
		"own socket": {
			listen: func(folder string) []string {
				return []string{program, "exec-server", "--listen", "unix:" + folder + "/s", "--keep", keep.String()}
			},
			network: "unix", window: map[string]time.Duration{"client": keep + 15*time.Second, "link": keep + 15*time.Second, "server": 0},
		},
		"codex WebSocket": {
			listen:  func(string) []string { return []string{codex, "exec-server", "--listen", "ws://127.0.0.1:0"} },
			network: "tcp", window: map[string]time.Duration{"client": detached, "link": detached, "server": 0},
		},
	} {
		for victim, window := range p.window {
			t.Run(name+"/"+victim, func(t *testing.T) {
				t.Logf("repeat with -seed %d", *seed)
				var mu sync.Mutex
				var slowest, guards time.Duration
				slots := make(chan struct{}, 4)
				if window > 0 {
					slots = make(chan struct{}, 20)
				}
				var all sync.WaitGroup
				for i := range *rounds {
					slots <- struct{}{}
					all.Go(func() {
						defer func() { <-slots }()
						moment := time.Duration(mathrand.New(mathrand.NewPCG(*seed, uint64(i))).IntN(1000)) * time.Millisecond
						after, all, err := kill(p, program, victim, moment, window+load)
						mu.Lock()
						defer mu.Unlock()
						slowest, guards = max(slowest, after), max(guards, all)
						if err != nil {
							t.Errorf("round %d, %s after the start: %v", i, moment, err)
						}
					})
				}
				all.Wait()
				t.Logf("%d kills, the last process ended after %s, the last guard after %s",
					*rounds, slowest.Round(time.Millisecond), guards.Round(time.Millisecond))
			})
		}
	}
}

// A round is the processes of one kill.
type round struct {
	nonce string
	pids  []*os.Process
}

func (r *round) start(argv ...string) (*os.Process, *bufio.Reader, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), nonceName+"="+r.nonce)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, nil, err
	}
	r.pids = append(r.pids, cmd.Process)
	return cmd.Process, bufio.NewReader(out), nil
}

// address starts what prints its address on a line.
func (r *round) address(argv ...string) (*os.Process, string, error) {
	p, out, err := r.start(argv...)
	if err != nil {
		return nil, "", err
	}
	line, err := out.ReadString('\n')
	return p, strings.TrimSpace(line), err
}

// left returns the processes of the round, but for those that the test has started, and how many
// of them are not ours.
func (r *round) left() (pids []int, theirs int) {
	for pid, environ := range exectest.ProcFiles("environ") {
		ours := slices.ContainsFunc(r.pids, func(p *os.Process) bool { return p.Pid == pid })
		if !ours && bytes.Contains(environ, []byte(nonceName+"="+r.nonce+"\x00")) && exectest.Alive(pid) {
			pids = append(pids, pid)
			command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // it may have ended
			if bytes.Contains(command, []byte("\x00"+exectest.HelperArgs()[0]+"\x00")) {
				theirs++
			}
		}
	}
	return pids, theirs
}

// end kills and reaps what the test has started.
func (r *round) end() {
	for _, p := range r.pids {
		_ = p.Kill() // it may have ended
		_, _ = p.Wait()
	}
}

// kill runs one round, and returns how long it took until nothing of the server was left, and
// until no guard was.
func kill(p place, program, victim string, moment, limit time.Duration) (after, all time.Duration, err error) {
	r := &round{nonce: rand.Text()}
	defer r.end()
	folder, err := os.MkdirTemp("/tmp", "k")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(folder)
	victims := map[string]*os.Process{}
	target := p.stdio
	if target == "" {
		var address string
		if victims["server"], address, err = r.address(p.listen(folder)...); err != nil {
			return 0, 0, fmt.Errorf("start the server: %w", err)
		}
		if victims["link"], target, err = r.address(program, linkRole, p.network, address, filepath.Join(folder, "l")); err != nil {
			return 0, 0, fmt.Errorf("start the link: %w", err)
		}
	}
	client, out, err := r.start(append([]string{program, clientRole, target, program}, exectest.HelperArgs(hard...)...)...)
	if err != nil {
		return 0, 0, err
	}
	victims["client"] = client
	said := make(chan []byte, 1)
	go func() {
		text, _ := io.ReadAll(out)
		said <- text
	}()
	time.Sleep(moment) // a random one of the start, or later
	if p.stdio != "" && victim == "server" {
		if victims["server"] = r.serverOfClient(); victims["server"] == nil {
			return 0, 0, errors.New("the client has started no server")
		}
	}
	if err := victims[victim].Kill(); err != nil {
		return 0, 0, err
	}
	begin := time.Now()
	for {
		left, theirs := r.left()
		if theirs > 0 {
			after = time.Since(begin)
		}
		if len(left) == 0 {
			break
		}
		if time.Since(begin) > limit {
			_ = client.Kill()
			return 0, 0, fmt.Errorf("left after %s: %s\n%s", limit, exectest.Describe(left), <-said)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return after, time.Since(begin), nil
}

// serverOfClient waits for the server that the client starts.
func (r *round) serverOfClient() *os.Process {
	for begin := time.Now(); time.Since(begin) < waitLimit; time.Sleep(time.Millisecond) {
		commands := exectest.ProcFiles("cmdline")
		left, _ := r.left()
		for _, pid := range left {
			if bytes.Contains(commands[pid], []byte("\x00exec-server\x00--listen\x00")) {
				p, _ := os.FindProcess(pid) // never fails
				return p
			}
		}
	}
	return nil
}
