package framing

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Lines that were diverted and restored are those of a Splitter that holds them.
func TestDivertedLinesAreTheSame(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		stream := randomStream(random)
		limit := 1 + random.IntN(5000)
		held, diverting := Splitter{Limit: limit}, Splitter{Limit: limit}
		var want, got []Line
		var diverted []byte
		add := func(lines *[]Line, l Line) {
			if l.Diverted > 0 {
				require.Nil(t, l.Data)
				require.Equal(t, len(diverted), l.Diverted)
				l.Restore(bytes.Clone(diverted))
				diverted = diverted[:0]
			}
			l.Data, l.Cuts, l.Stable = bytes.Clone(l.Data), slices.Clone(l.Cuts), false
			*lines = append(*lines, l)
		}
		for seq := uint64(1); len(stream) > 0; seq++ {
			n := 1 + random.IntN(min(len(stream), 700))
			for l := range held.Push(seq, stream[:n]) {
				add(&want, l)
			}
			for l := range diverting.Push(seq, stream[:n]) {
				add(&got, l)
			}
			stream = stream[n:]
			require.Equal(t, held.Pending(), diverting.Pending())
			if random.IntN(3) == 0 {
				diverting.Divert(func(p []byte) { diverted = append(diverted, p...) })
			}
			require.Equal(t, string(held.Peek(300)), string(diverting.Peek(300)))
		}
		for _, end := range []struct {
			s     *Splitter
			lines *[]Line
		}{{&held, &want}, {&diverting, &got}} {
			if l, ok := end.s.Flush(false); ok {
				add(end.lines, l)
			}
			end.s.Close()
		}
		require.Equal(t, want, got)
	}
}

// randomStream returns lines of all lengths and ends.
func randomStream(random *rand.Rand) []byte {
	var stream []byte
	for range random.IntN(20) {
		stream = append(stream, bytes.Repeat([]byte{'x'}, random.IntN(3000))...)
		stream = append(stream, []string{"\n", "\r\n", "\r", "\n\n", ""}[random.IntN(5)]...)
	}
	return stream
}

func TestDivertNeedsAnOpenLine(t *testing.T) {
	var s Splitter
	s.Divert(func([]byte) { t.Fatal("there is nothing to divert") })
	for l := range s.Push(1, []byte("abc\n")) {
		require.Equal(t, "abc", string(l.Data))
	}
}
