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

func TestMarkerIsFoundAtTheStartOfALine(t *testing.T) {
	for _, c := range []struct {
		name, in, line, noise, rest string
		found                       bool
	}{
		{"at once", "\nRUN-x 12 12 0 /bin\nrest", "12 12 0 /bin", "", "rest", true},
		{"without a newline before it", "RUN-x\n", "", "", "", true},
		{"behind noise", "hello\nworld\n\nRUN-x 1\n", "1", "hello\nworld\n", "", true},
		{"after an incomplete line", "hello\nRUN-x 1\n", "1", "hello", "", true},
		{"within a line", "echo RUN-x 1\n", "", "", "", false},
		{"of another run", "RUN-xy 1\n", "", "", "", false},
		{"not complete", "\nRUN-x 1", "", "", "", false},
		{"twice", "RUN-x 1\nRUN-x 2\n", "1", "", "RUN-x 2\n", true},
		{"binary", "\x00\xff\n\nRUN-x 1\n\x00", "1", "\x00\xff\n", "\x00", true},
	} {
		for _, step := range []int{1, 3, len(c.in)} {
			s := Scanner{Marker: "RUN-x"}
			var got Reading
			found, fed := false, 0
			for fed < len(c.in) && !found {
				n := min(step, len(c.in)-fed)
				got, found = s.Feed([]byte(c.in[fed : fed+n]))
				fed += n
			}
			require.Equal(t, c.found, found, c.name)
			if found {
				require.Equal(t, c.line, got.Line, c.name)
				require.Equal(t, strings.TrimSuffix(c.noise, "\n"), strings.TrimSuffix(string(got.Noise), "\n"), c.name)
				require.Equal(t, c.rest, string(got.Rest)+c.in[fed:], c.name)
				require.NoError(t, got.Err)
			}
		}
	}
}

// forever returns the same text over and over.
type forever struct{ read int }

func (f *forever) Read(p []byte) (int, error) {
	f.read += len(p)
	return copy(p, bytes.Repeat([]byte("noise\n"), len(p)/6+1)), nil
}

func TestNoiseIsBounded(t *testing.T) {
	endless := &forever{}
	r := <-Await(endless, "RUN-x")
	require.ErrorIs(t, r.Err, errNoise)
	require.Less(t, endless.read, 2*noiseLimit)
	require.LessOrEqual(t, len(r.Noise), 2*noiseLimit)
}

func TestOutputBeforeTheEndIsKept(t *testing.T) {
	r := <-Await(io.MultiReader(strings.NewReader("This account is "), strings.NewReader("disabled.\n")), "RUN-x")
	require.ErrorIs(t, r.Err, ErrEnded)
	require.Equal(t, "This account is disabled.\n", string(r.Noise))
}

func FuzzMarker(f *testing.F) {
	for _, seed := range []string{"\nRUN-x 12 12 0 /bin\nrest", "hello\nRUN-x\n", "RUN-xRUN-x\n\n\nRUN-x", "\x00\n"} {
		f.Add([]byte(seed), 3)
	}
	f.Fuzz(func(t *testing.T, in []byte, step int) {
		step = max(1, step%64)
		whole := Scanner{Marker: "RUN-x"}
		want, wantFound := whole.Feed(in)
		s := Scanner{Marker: "RUN-x"}
		var got Reading
		found, fed := false, 0
		for fed < len(in) && !found {
			n := min(step, len(in)-fed)
			got, found = s.Feed(in[fed : fed+n])
			fed += n
		}
		require.Equal(t, wantFound, found, "however it comes")
		if found && got.Err == nil {
			require.Equal(t, want.Line, got.Line)
			require.Equal(t, string(want.Noise), string(got.Noise))
			require.True(t, bytes.HasSuffix(in[:fed], got.Rest))
		}
	})
}

func TestEncodeIsOneLineOfPrintableASCII(t *testing.T) {
	for _, text := range []string{"", "plain", "a\nb\x00c\\d\xffé\t'\"$`%s", Script(executor.NewMark(), Orders{Lease: 30 * time.Second})} {
		line := encode(text)
		require.Equal(t, len(line)-1, bytes.IndexByte(line, '\n'))
		for _, c := range line[:len(line)-1] {
			require.True(t, c >= ' ' && c <= '~')
		}
		require.Equal(t, text, decode(t, line))
	}
}

// decode does the same as printf's %b with the output of encode.
func decode(t *testing.T, line []byte) string {
	var out []byte
	line = bytes.TrimSuffix(line, []byte("\n"))
	for i := 0; i < len(line); i++ {
		if line[i] != '\\' {
			out = append(out, line[i])
			continue
		}
		require.Equal(t, byte('0'), line[i+1])
		out = append(out, (line[i+2]-'0')<<6|(line[i+3]-'0')<<3|(line[i+4]-'0'))
		i += 4
	}
	return string(out)
}
