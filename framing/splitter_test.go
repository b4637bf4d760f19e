package framing

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// gather returns the lines of all chunks, numbered from 1, and of a Flush at
// the end, with copied data.
func gather(s *Splitter, chunks ...string) []Line {
	var lines []Line
	for i, chunk := range chunks {
		for line := range s.Push(uint64(i+1), []byte(chunk)) {
			lines = append(lines, keep(line))
		}
	}
	if line, ok := s.Flush(false); ok {
		lines = append(lines, keep(line))
	}
	return lines
}

func keep(line Line) Line {
	line.Data = append([]byte{}, line.Data...)
	line.Cuts = append([]Cut(nil), line.Cuts...)
	return line
}

func TestSplitter(t *testing.T) {
	data := func(s string) []byte { return []byte(s) }
	tests := []struct {
		name   string
		limit  int
		chunks []string
		want   []Line
	}{
		{name: "nothing", chunks: nil, want: nil},
		{name: "an empty chunk", chunks: []string{""}, want: nil},
		{
			name: "several lines in a chunk", chunks: []string{"a\n\nbc\n"},
			want: []Line{
				{Data: data("a"), First: 1, Seq: 1, Stable: true},
				{Data: data(""), First: 1, Seq: 1, Stable: true},
				{Data: data("bc"), First: 1, Seq: 1, Stable: true},
			},
		},
		{
			name: "a line over three chunks", chunks: []string{"x\nab", "cd", "e\ny\n"},
			want: []Line{
				{Data: data("x"), First: 1, Seq: 1, Stable: true},
				{Data: data("abcde"), First: 1, Seq: 3, Cuts: []Cut{{2, 2}, {3, 4}}},
				{Data: data("y"), First: 3, Seq: 3, Stable: true},
			},
		},
		{
			name: "an empty chunk in a line", chunks: []string{"a", "", "b\n"},
			want: []Line{{Data: data("ab"), First: 1, Seq: 3, Cuts: []Cut{{3, 1}}}},
		},
		{
			name: "LF in a chunk of its own", chunks: []string{"ab", "\n"},
			want: []Line{{Data: data("ab"), First: 1, Seq: 2, Cuts: []Cut{{2, 2}}}},
		},
		{
			name: "one CR is trimmed", chunks: []string{"a\r\nb\r\r\n\r\n"},
			want: []Line{
				{Data: data("a"), EOL: CRLF, First: 1, Seq: 1, Stable: true, Problems: ProblemCRLF},
				{Data: data("b\r"), EOL: CRLF, First: 1, Seq: 1, Stable: true, Problems: ProblemCRLF},
				{Data: data(""), EOL: CRLF, First: 1, Seq: 1, Stable: true, Problems: ProblemCRLF},
			},
		},
		{
			name: "CR and LF in two chunks", chunks: []string{"a\r", "\n"},
			want: []Line{{Data: data("a"), EOL: CRLF, First: 1, Seq: 2, Cuts: []Cut{{2, 2}}, Problems: ProblemCRLF}},
		},
		{
			name: "line, CR and LF in three chunks", chunks: []string{"a", "\r", "\n"},
			want: []Line{{Data: data("a"), EOL: CRLF, First: 1, Seq: 3, Cuts: []Cut{{2, 1}, {3, 2}}, Problems: ProblemCRLF}},
		},
		{
			name: "a CR inside a line stays", chunks: []string{"a\rb\n", "c\r", "d\n"},
			want: []Line{
				{Data: data("a\rb"), First: 1, Seq: 1, Stable: true},
				{Data: data("c\rd"), First: 2, Seq: 3, Cuts: []Cut{{3, 2}}},
			},
		},
		{
			name: "the stream ends in a line", chunks: []string{"a\nb", "c"},
			want: []Line{
				{Data: data("a"), First: 1, Seq: 1, Stable: true},
				{Data: data("bc"), EOL: NoEOL, First: 1, Seq: 2, Cuts: []Cut{{2, 1}}, Problems: ProblemUnterminated},
			},
		},
		{
			name: "the stream ends in CR", chunks: []string{"a\r"},
			want: []Line{{Data: data("a\r"), EOL: NoEOL, First: 1, Seq: 1, Problems: ProblemUnterminated}},
		},
		{
			name: "UTF-8 cut by a chunk's end", chunks: []string{"caf\xc3", "\xa9\n"},
			want: []Line{{Data: data("café"), First: 1, Seq: 2, Cuts: []Cut{{2, 4}}}},
		},
		{
			name: "as long as the limit", limit: 3, chunks: []string{"abc\nab\r\nd", "ef", "\n"},
			want: []Line{
				{Data: data("abc"), First: 1, Seq: 1, Stable: true},
				{Data: data("ab"), EOL: CRLF, First: 1, Seq: 1, Stable: true, Problems: ProblemCRLF},
				{Data: data("def"), First: 1, Seq: 3, Cuts: []Cut{{2, 1}, {3, 3}}},
			},
		},
		{
			name: "over the limit inside a chunk", limit: 3, chunks: []string{"abcdefg\nh\n"},
			want: []Line{
				{Data: data("abc"), EOL: NoEOL, More: true, First: 1, Seq: 1, Stable: true, Problems: ProblemTooLong},
				{Data: data("def"), EOL: NoEOL, More: true, Part: true, First: 1, Seq: 1, Stable: true, Problems: ProblemTooLong},
				{Data: data("g"), Part: true, First: 1, Seq: 1, Stable: true, Problems: ProblemTooLong},
				{Data: data("h"), First: 1, Seq: 1, Stable: true},
			},
		},
		{
			name: "over the limit over chunks", limit: 3, chunks: []string{"ab", "cd", "ef", "\n"},
			want: []Line{
				{Data: data("abc"), EOL: NoEOL, More: true, First: 1, Seq: 2, Cuts: []Cut{{2, 2}}, Problems: ProblemTooLong},
				{Data: data("def"), Part: true, First: 2, Seq: 4, Cuts: []Cut{{3, 1}, {4, 3}}, Problems: ProblemTooLong},
			},
		},
		{
			name: "a full part waits for the next byte", limit: 2, chunks: []string{"ab", "c\n"},
			want: []Line{
				{Data: data("ab"), EOL: NoEOL, More: true, First: 1, Seq: 1, Problems: ProblemTooLong},
				{Data: data("c"), Part: true, First: 2, Seq: 2, Stable: true, Problems: ProblemTooLong},
			},
		},
		{
			name: "a CR counts in the limit", limit: 2, chunks: []string{"ab\r\n"},
			want: []Line{
				{Data: data("ab"), EOL: NoEOL, More: true, First: 1, Seq: 1, Stable: true, Problems: ProblemTooLong},
				{Data: data(""), EOL: CRLF, Part: true, First: 1, Seq: 1, Stable: true, Problems: ProblemTooLong | ProblemCRLF},
			},
		},
		{
			name: "over the limit and unterminated", limit: 2, chunks: []string{"abc"},
			want: []Line{
				{Data: data("ab"), EOL: NoEOL, More: true, First: 1, Seq: 1, Stable: true, Problems: ProblemTooLong},
				{Data: data("c"), EOL: NoEOL, Part: true, First: 1, Seq: 1, Problems: ProblemTooLong | ProblemUnterminated},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := Splitter{Limit: tt.limit}
			defer s.Close()
			require.Equal(t, tt.want, gather(&s, tt.chunks...))
			require.Zero(t, s.Pending())
		})
	}
}

func TestSplitterFlushOfAPart(t *testing.T) {
	var s Splitter
	defer s.Close()
	require.Empty(t, push(&s, 1, "Password"))

	part, ok := s.Flush(true)
	require.True(t, ok)
	require.Equal(t, Line{Data: []byte("Password"), EOL: NoEOL, More: true, First: 1, Seq: 1}, keep(part))
	require.False(t, part.Whole())
	require.Zero(t, s.Pending())
	_, ok = s.Flush(true)
	require.False(t, ok, "no new line is open")

	require.Equal(t, []Line{{Data: []byte(": "), Part: true, First: 2, Seq: 2, Stable: true}, {Data: []byte("x"), First: 2, Seq: 2, Stable: true}},
		push(&s, 2, ": \nx\n"))
}

func TestSplitterEndsLineInParts(t *testing.T) {
	var s Splitter
	defer s.Close()
	require.Empty(t, push(&s, 5, "abc"))
	_, ok := s.Flush(true)
	require.True(t, ok)

	last, ok := s.Flush(false)
	require.True(t, ok, "a line with More must be followed by another")
	require.Equal(t, Line{Data: []byte{}, EOL: NoEOL, Part: true, First: 5, Seq: 5, Stable: true, Problems: ProblemUnterminated}, keep(last))
	_, ok = s.Flush(false)
	require.False(t, ok)
}

func TestSplitterGap(t *testing.T) {
	s := Splitter{Limit: 4}
	defer s.Close()
	_, ok := s.Gap()
	require.False(t, ok)

	require.Len(t, push(&s, 1, "abcdef"), 1)
	line, ok := s.Gap()
	require.True(t, ok)
	require.Equal(t, Line{
		Data: []byte("ef"), EOL: NoEOL, Part: true, First: 1, Seq: 1, Problems: ProblemTooLong | ProblemUnterminated,
	}, keep(line))
	require.Equal(t, []Line{{Data: []byte("new"), First: 9, Seq: 9, Stable: true}}, push(&s, 9, "new\n"))
}

func TestSplitterPeek(t *testing.T) {
	var s Splitter
	defer s.Close()
	require.Empty(t, s.Peek(10))
	push(&s, 1, "x\nab")
	push(&s, 2, "cd")
	require.Equal(t, 4, s.Pending())
	require.Equal(t, "abc", string(s.Peek(3)))
	require.Equal(t, "abcd", string(s.Peek(10)))
	push(&s, 3, "\n")
	require.Zero(t, s.Pending())
	require.Empty(t, s.Peek(10))
}

func TestSplitterCountsTheCutsItDrops(t *testing.T) {
	var s Splitter
	defer s.Close()
	for seq := range uint64(MaxCuts + 10) {
		require.Empty(t, push(&s, seq+1, "x"))
	}
	lines := push(&s, MaxCuts+11, "\ny")
	lines = append(lines, push(&s, MaxCuts+12, "z\n")...)
	require.Len(t, lines, 2)
	require.Len(t, lines[0].Cuts, MaxCuts)
	require.Equal(t, Cut{MaxCuts + 1, MaxCuts}, lines[0].Cuts[MaxCuts-1])
	require.Equal(t, uint64(10), lines[0].CutsDropped)
	require.Equal(t, uint64(1), lines[0].First)
	require.Equal(t, uint64(MaxCuts+11), lines[0].Seq)
	require.Len(t, lines[1].Cuts, 1)
	require.Zero(t, lines[1].CutsDropped)
}

// A slow line must not be scanned again for each byte.
func TestSplitterScansEachByteOnce(t *testing.T) {
	const size = 8 << 20
	var s Splitter
	defer s.Close()
	drip := []byte("x")
	for seq := range uint64(size) {
		for range s.Push(seq, drip) {
			require.Fail(t, "a line without newline")
		}
	}
	require.Equal(t, size, s.Pending())
	require.Len(t, push(&s, size, "\n"), 1)
	require.Equal(t, uint64(size+1), s.searched)
}

func TestSplitterScansEachByteOnceInParts(t *testing.T) {
	s := Splitter{Limit: 16}
	defer s.Close()
	require.Len(t, push(&s, 1, strings.Repeat("x", 1<<20)+"\n"), 1<<16)
	require.Equal(t, uint64(1<<20+1), s.searched)
}

func TestSplitterFallsBackToSlices(t *testing.T) {
	s := Splitter{Limit: math.MaxInt / 2} // more than there are addresses
	defer s.Close()
	want := strings.Repeat("0123456789abcde", 300_000)
	for i := 0; i < len(want); i += 50_000 {
		require.Empty(t, push(&s, uint64(i), want[i:i+50_000]))
		if open := s.Pending(); open > 2*reserveAbove {
			require.LessOrEqual(t, cap(s.open.data), open*9/8)
		}
	}
	require.False(t, s.open.reserved)
	lines := push(&s, math.MaxInt64, "\n")
	require.Len(t, lines, 1)
	require.True(t, bytes.Equal([]byte(want), lines[0].Data), "too long to be printed")
	require.Nil(t, s.open.data, "a large slice is released")
}

func TestSplitterIsReusableAfterClose(t *testing.T) {
	s := Splitter{Limit: 4 << 20}
	push(&s, 1, strings.Repeat("x", 3<<20))
	push(&s, 2, "y")
	s.Close()
	require.Equal(t, Splitter{Limit: 4 << 20}, s)
	require.Equal(t, []Line{{Data: []byte("z"), First: 1, Seq: 1, Stable: true}}, gather(&s, "z\n"))
	s.Close()
	s.Close()
}

func TestSplitterLoopLeftEarly(t *testing.T) {
	tests := []struct{ name, open, chunk string }{
		{"inside a chunk", "", "a\nb\nc"},
		{"at a line over two chunks", "a", "b\nc\nd"},
		{"at a part", "abc", "def"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := Splitter{Limit: 4}
			defer s.Close()
			require.Empty(t, push(&s, 1, tt.open))
			for line := range s.Push(2, []byte(tt.chunk)) {
				require.NotEmpty(t, line.Data)
				break
			}
			require.Zero(t, s.Pending())
			next := push(&s, 3, "z\n")
			require.Len(t, next, 1)
			require.Equal(t, "z", string(next[0].Data))
		})
	}
}

func TestSplitAndScanDoNotAllocate(t *testing.T) {
	chunk := notifications(64 << 10)
	var s Splitter
	defer s.Close()
	seq, messages := uint64(0), 0
	require.Zero(t, testing.AllocsPerRun(20, func() {
		seq++
		for line := range s.Push(seq, chunk) {
			if Scan(line.Data).Kind == Notification {
				messages++
			}
		}
	}))
	require.Equal(t, 21*bytes.Count(chunk, []byte("\n"))-1, messages, "all except the first, which lacks its beginning")
}

func TestEOLString(t *testing.T) {
	require.Equal(t, "\n", LF.String())
	require.Equal(t, "\r\n", CRLF.String())
	require.Empty(t, NoEOL.String())
}

func push(s *Splitter, seq uint64, chunk string) []Line {
	var lines []Line
	for line := range s.Push(seq, []byte(chunk)) {
		lines = append(lines, keep(line))
	}
	return lines
}
