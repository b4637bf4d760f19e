//go:build soak && linux

package soak

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/localexec"
	"mcpdbg/session/mcp"
	"mcpdbg/sshexec/sshtest"
)

var (
	flagTime   = flag.Duration("soak.time", time.Hour, "how long it lasts")
	flagSeed   = flag.Uint64("soak.seed", 0, "the choice of faults; 0 chooses a seed")
	flagRate   = flag.Int("soak.rate", 0, "messages per second of each session; 0 means 5,000, or 500 on fewer than four processors")
	flagRounds = flag.Int("soak.rounds", 0, "rounds of start and stop, here and over SSH; 0 means 1,000 per hour, each")
)

const (
	localSessions = 7
	hostSessions  = 3
	// endlessRate and screenRate limit the messages per second of those whose logs,
	// and with them 3 bytes a row for the log and some 150 for the screen, grow for
	// the whole time.
	endlessRate, screenRate = 500, 25
	// retention is how long an executor keeps a process that has ended: short, so
	// that the number of those is steady soon.
	retention = 5 * time.Second
	// maxFailures end the test.
	maxFailures = 20
)

// A lab is what all parts of the test share.
type lab struct {
	t    *testing.T
	dir  string
	stop context.CancelFunc

	verifying sync.Mutex

	mu       sync.Mutex
	failures int
	counts   map[string]int
}

// fail reports a failure. The test goes on, unless there are too many.
func (l *lab) fail(who string, err error) {
	l.t.Errorf("%s %s: %v", time.Now().Format(time.TimeOnly), who, err)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failures++; l.failures == maxFailures {
		l.stop()
	}
}

// count counts something that went well.
func (l *lab) count(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts[what]++
}

// TestSoak lets everything run at once, samples what it takes, and compares the
// samples in the end.
func TestSoak(t *testing.T) {
	seed, rate, rounds := settings()
	t.Logf("-soak.time %v -soak.seed %d -soak.rate %d -soak.rounds %d", *flagTime, seed, rate, rounds)
	ctx, stop := context.WithTimeout(t.Context(), *flagTime)
	defer stop()
	l := &lab{t: t, dir: t.TempDir(), stop: stop, counts: map[string]int{}}
	binary := build(t, l.dir)
	sshd := sshtest.OpenSSH(t, sshtest.Options{LogLevel: "INFO"})
	chance := func(n uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, n)) }

	workers, closeAll := newWorkers(t, l, sshd, chance, rate)
	here, there := newStarters(t, l, sshd, chance)
	files, goroutines := atRest()
	screen, err := newScreen(l, chance(100), binary, min(rate, screenRate))
	require.NoError(t, err)
	var all sync.WaitGroup
	for _, w := range workers {
		all.Go(func() { w.run(ctx) })
	}
	all.Go(func() { screen.run(ctx) })
	all.Go(func() { here.run(ctx, rounds, *flagTime) })
	all.Go(func() { there.run(ctx, rounds, *flagTime) })
	all.Go(func() { (&programs{lab: l, rng: chance(103), rate: rate, binary: binary}).run(ctx) })

	g := newGauge(func() (sum uint64) {
		for _, w := range workers {
			sum += w.messages()
		}
		return sum
	}, screen.Pid)
	watch(ctx, t, g)
	all.Wait()
	closeAll()
	require.NoError(t, here.exec.Close())
	require.NoError(t, there.exec.Close())
	conclude(t, l, g)
	backAtRest(t, files, goroutines)
}

// settings returns the flags, with their defaults.
func settings() (seed uint64, rate, rounds int) {
	seed, rate, rounds = *flagSeed, *flagRate, *flagRounds
	if seed == 0 {
		seed = rand.Uint64N(1_000_000) + 1
	}
	if rate == 0 {
		if rate = 5_000; runtime.NumCPU() < 4 {
			rate = 500
		}
	}
	if rounds == 0 {
		rounds = max(1, int(1_000*flagTime.Hours()))
	}
	return seed, rate, rounds
}

// build builds the program.
func build(t *testing.T, dir string) string {
	binary := filepath.Join(dir, "mcpdbg")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "mcpdbg").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return binary
}

// newWorkers returns the workers, and what closes their executors.
func newWorkers(t *testing.T, l *lab, sshd *sshtest.Server, chance func(uint64) *rand.Rand, rate int) (workers []*worker, closeAll func()) {
	eras := []mcp.Era{mcp.Auto, mcp.Legacy, mcp.Modern}
	local := localexec.New(localexec.Options{Retention: retention})
	closers := []func() error{local.Close}
	for i := range localSessions + hostSessions {
		w := &worker{lab: l, name: fmt.Sprintf("local-%d", i), rng: chance(uint64(i)), exec: local, era: eras[i%len(eras)],
			rate: rate, endless: i == 0, faults: onThisMachine()}
		if w.endless {
			w.rate = min(rate, endlessRate)
		}
		if i >= localSessions {
			host, err := newHost(t, sshd)
			require.NoError(t, err)
			w.name, w.host, w.exec, w.faults = fmt.Sprintf("ssh-%d", i), host, host.exec, onHosts()
			closers = append(closers, host.exec.Close)
		}
		workers = append(workers, w)
	}
	return workers, func() {
		for _, c := range closers {
			require.NoError(t, c())
		}
	}
}

// newStarters returns those who start and stop servers, here and over SSH.
func newStarters(t *testing.T, l *lab, sshd *sshtest.Server, chance func(uint64) *rand.Rand) (here, there *starter) {
	host, err := newHost(t, sshd)
	require.NoError(t, err)
	return &starter{l, "round", chance(101), localexec.New(localexec.Options{Retention: retention})},
		&starter{l, "round over SSH", chance(102), host.exec}
}

// watch takes samples until the time is over.
func watch(ctx context.Context, t *testing.T, g *gauge) {
	tick := time.NewTicker(min(10*time.Second, *flagTime/60))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			g.take()
			fmt.Fprint(os.Stderr, g.table(len(g.samples)-1)) // t.Log waits for the end
		}
	}
}

// conclude reports what happened, and fails if anything has grown.
func conclude(t *testing.T, l *lab, g *gauge) {
	for _, what := range slices.Sorted(maps.Keys(l.counts)) {
		t.Logf("%6d %s", l.counts[what], what)
	}
	t.Logf("samples:\n%s", g.table(0))
	for _, grown := range growth(g.samples) {
		t.Errorf("grown: %s", grown)
	}
}

// atRest returns how many descriptors and goroutines there are.
func atRest() (files, goroutines int) { return openFiles(os.Getpid()), runtime.NumGoroutine() }

// backAtRest checks that all descriptors and goroutines of the test are gone.
func backAtRest(t *testing.T, files, goroutines int) {
	ok := eventually(func() bool {
		runtime.GC()
		f, g := atRest()
		return f <= files && g <= goroutines
	})
	f, g := atRest()
	t.Logf("at rest: %d descriptors and %d goroutines before, %d and %d after", files, goroutines, f, g)
	if !ok {
		stacks := make([]byte, 1<<20)
		t.Errorf("descriptors or goroutines have leaked:\n%s", stacks[:runtime.Stack(stacks, true)])
	}
}
