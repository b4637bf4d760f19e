package framing

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzSplitter cuts a stream into chunks of the given sizes, with a Flush(true)
// after each chunk whose size has its top bit set, and a Gap after the size 0.
func FuzzSplitter(f *testing.F) {
	f.Add([]byte("a\nbc\r\n\r\nd\re\n\nf"), []byte{1}, uint16(0))
	f.Add([]byte("a\nbc\r\n\r\nd\re\n\nf"), []byte{3, 1, 2}, uint16(1))
	f.Add([]byte("abcdefgh\r\nijklm\r\r\nn\n"), []byte{4, 0x81, 5}, uint16(4))
	f.Add([]byte("\r\r\r\n\r\n\n\r"), []byte{0x82, 0, 1}, uint16(2))
	f.Fuzz(func(t *testing.T, stream, sizes []byte, limit uint16) {
		r := rebuild{t: t, limit: int(limit), chunks: map[uint64][]byte{}}
		s := Splitter{Limit: int(limit)}
		defer s.Close()

		pushed := map[uint64][]byte{}
		rest := bytes.Clone(stream)
		for seq := uint64(1); len(rest) > 0; seq++ {
			size := byte(len(rest) & 0x7f)
			if len(sizes) > 0 {
				size = sizes[int(seq)%len(sizes)]
			}
			n := min(len(rest), max(1, int(size&0x7f)))
			chunk := rest[:n:n]
			rest = rest[n:]
			pushed[seq] = chunk
			for line := range s.Push(seq, chunk) {
				r.line(line)
			}
			var line Line
			ok := false
			switch {
			case size&0x80 != 0:
				line, ok = s.Flush(true)
			case size == 0:
				line, ok = s.Gap()
			}
			if ok {
				r.line(line)
			}
			require.Equal(t, len(stream)-len(rest)-len(r.stream), s.Pending())
			require.Equal(t, string(stream[len(r.stream):len(stream)-len(rest)]), string(s.Peek(len(stream))))
		}
		if line, ok := s.Flush(false); ok {
			r.line(line)
		}

		require.False(t, r.more, "a part without a following line")
		require.Equal(t, string(stream), string(r.stream))
		require.Equal(t, pushed, r.chunks)
		require.Equal(t, uint64(len(stream)), s.searched)
		for i, line := range r.stable {
			require.Equal(t, r.copies[i], string(line), "stable data has changed")
		}
	})
}

// A rebuild reassembles the stream and its chunks from lines and checks each
// line against the contract of Line.
type rebuild struct {
	t      *testing.T
	limit  int
	more   bool // of the line before
	stream []byte
	chunks map[uint64][]byte
	stable [][]byte
	copies []string
}

func (r *rebuild) line(line Line) {
	t := r.t
	require.Equal(t, r.more, line.Part)
	r.more = line.More
	require.NotContains(t, string(line.Data), "\n")
	if r.limit > 0 {
		require.LessOrEqual(t, len(line.Data), r.limit)
	}
	require.Equal(t, line.EOL == CRLF, line.Problems&ProblemCRLF != 0)
	require.Equal(t, line.EOL == NoEOL && !line.More, line.Problems&ProblemUnterminated != 0)
	if line.EOL == LF {
		require.False(t, bytes.HasSuffix(line.Data, []byte("\r")), "a CR before LF is not part of the payload")
	}
	if line.Stable {
		r.stable = append(r.stable, line.Data)
		r.copies = append(r.copies, string(line.Data))
	}

	require.Equal(t, len(line.Data), cap(line.Data), "appending would overwrite the following bytes")
	whole := append(bytes.Clone(line.Data), line.EOL.String()...)
	r.stream = append(r.stream, whole...)
	require.Zero(t, line.CutsDropped)
	seq, off := line.First, uint64(0)
	for _, cut := range line.Cuts {
		require.Greater(t, cut.Seq, seq)
		require.Greater(t, cut.Off, off, "a chunk without bytes")
		r.add(seq, whole[off:cut.Off])
		seq, off = cut.Seq, cut.Off
	}
	require.Equal(t, line.Seq, seq)
	r.add(seq, whole[off:])
}

func (r *rebuild) add(seq uint64, p []byte) {
	if len(p) > 0 {
		r.chunks[seq] = append(r.chunks[seq], p...)
	}
}
