package guard

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

// hear makes a guard on a channel that sends text and ends, with pending
// commands 1 to 3.
func hear(text string) (answers map[uint64][]Proc) {
	g := &Guard{gone: make(chan struct{}), waiting: map[uint64]chan []Proc{}}
	for n := range uint64(3) {
		g.waiting[n+1] = make(chan []Proc, 1)
	}
	all := map[uint64]chan []Proc{1: g.waiting[1], 2: g.waiting[2], 3: g.waiting[3]}
	g.read(strings.NewReader(text))
	answers = map[uint64][]Proc{}
	for n, c := range all {
		select {
		case procs := <-c:
			answers[n] = procs
		default:
		}
	}
	return answers
}

func TestGuardReplies(t *testing.T) {
	long := strings.Repeat("x", 3*maxLine)
	answers := hear("noise\nM 12 1 400 0\nC server --flag \nL 13 12 8 0\n\nZ lease 10 1\nC stuck\nY 14 12 8 0\nC adb\nE 1\nE 2\n" +
		"M 14 1 0 0\nC " + long + "\nM 0 0 0 0\nM -1 1 1 0\nM twelve 1 1 0\nM 1\nE 3\nE 99\n")
	require.Len(t, answers, 3)
	require.Equal(t, []executor.Descendant{{PID: 12, PPID: 1, Command: "server --flag", RSS: 400 << 10}}, Of(answers[1], Member))
	require.Equal(t, []executor.Descendant{{PID: 13, PPID: 12, Command: "stuck", RSS: 8 << 10}}, Of(answers[1], Left))
	require.Equal(t, []executor.Descendant{{PID: 14, PPID: 12, Command: "adb", RSS: 8 << 10}}, Of(answers[1], Spared))
	require.Empty(t, answers[2])
	require.Len(t, answers[3], 1, "invalid pids and pid 0 are ignored")
	require.Less(t, len(answers[3][0].Command), 2*maxLine)
}

// TestGuardDoubts checks that the last word of a guard about its doubts counts.
func TestGuardDoubts(t *testing.T) {
	for text, want := range map[string]bool{"E 1\n": false, "U 1\nE 1\n": true, "U 1\nE 1\nU 0\nE 2\n": false, "U 1\nE 1\nE 2\n": true} {
		g := &Guard{gone: make(chan struct{}), waiting: map[uint64]chan []Proc{}}
		g.read(strings.NewReader(text))
		require.Equal(t, want, g.Doubts(), text)
	}
}

func TestArmedLine(t *testing.T) {
	for line, want := range map[string]*Capabilities{
		"12 1 1 30 1":    {PID: 12, proc: true, marks: true, Lease: 30 * time.Second, sees: true},
		"12 0 0 0 0":     {PID: 12},
		"12 0 0 0 0 7 8": {PID: 12, met: []int{7, 8}},
		"0 1 1 30 1":     nil,
		"":               nil,
		"12 1 1 30":      nil,
		"12 1 1 -1 1":    nil,
		"12 1 1 30 1 x":  nil,
	} {
		got, err := parseArmed(line)
		require.Equal(t, want == nil, err != nil, line)
		if want != nil {
			require.Equal(t, *want, got)
		}
	}
}

func FuzzGuard(f *testing.F) {
	f.Add([]byte("M 12 1 400 0\nC server\nE 1\n"))
	f.Add([]byte("C x\nE 1\nE 1\nE 18446744073709551616\nL\n\nM 1 1 1 1\nZ lease 9 1\nZ closed\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, procs := range hear(string(text)) {
			require.LessOrEqual(t, len(procs), maxProcs)
			for _, p := range procs {
				require.Greater(t, p.PID, 1)
				require.NotContains(t, p.Command, "\n")
			}
		}
	})
}

func TestGuardLineIsBounded(t *testing.T) {
	endless := io.MultiReader(bytes.NewReader(bytes.Repeat([]byte("x"), 10*maxLine)), strings.NewReader("\nE 1\n"))
	g := &Guard{gone: make(chan struct{}), waiting: map[uint64]chan []Proc{1: make(chan []Proc, 1)}}
	answer := g.waiting[1]
	g.read(endless)
	require.Empty(t, <-answer)
}

func TestLeaseMayHaveExpired(t *testing.T) {
	now := time.Now()
	g := &Guard{caps: Capabilities{Lease: 10 * time.Second}, renewed: now}
	require.False(t, g.MayHaveExpired(now.Add(9*time.Second)))
	require.True(t, g.MayHaveExpired(now.Add(10*time.Second)))
	g.renewed = now.Round(0).Add(-10 * time.Second) // on the other clock
	require.True(t, g.MayHaveExpired(now))
	g.caps.Lease = 0
	require.False(t, g.MayHaveExpired(now), "it has no clock")
}
