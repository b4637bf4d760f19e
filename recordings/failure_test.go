package recordings

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// full makes writes to f fail with a full disk after n more bytes.
func full(f *File, n int) {
	write := f.write
	f.write = func(file *os.File, p []byte) (int, error) {
		fits := min(len(p), n)
		n -= fits
		got, err := write(file, p[:fits])
		if err == nil && fits < len(p) {
			err = &os.PathError{Op: "write", Path: f.path, Err: syscall.ENOSPC}
		}
		return got, err
	}
}

func TestFullDiskStopsRecordingNotSession(t *testing.T) {
	for room := range 200 { // the disk is full at every offset of three lines
		f := create(t, Options{})
		require.NoError(t, f.Append([]session.Entry{stdout(1, "zero")}))
		full(f, room)
		changed := f.Changed()
		require.NoError(t, f.Append([]session.Entry{stdout(2, "one"), stdout(3, "\xff"), stdout(4, `{"id":1,"method":"m"}`)}))
		<-changed
		require.NoError(t, f.Append([]session.Entry{stdout(5, `{"id":2,"method":"m"}`)}))
		require.NoError(t, f.Append([]session.Entry{stdout(6, "last")}))
		require.Equal(t, "zero\none\n\xff\n{\"id\":1,\"method\":\"m\"}\n{\"id\":2,\"method\":\"m\"}\nlast\n", string(stream(t, f, session.KindStdout)))
		s := f.Stats()
		require.Equal(t, session.RecordingStopped, s.Recording)
		require.Regexp(t, `^no space left on device; not recorded from entry \d+ on$`, s.RecordingError)
		require.Equal(t, 2, s.PendingIn, "the index continues")
		require.ErrorIs(t, f.Close(), syscall.ENOSPC)
		require.Equal(t, session.RecordingStopped, f.Stats().Recording)

		data, err := os.ReadFile(f.Path())
		require.NoError(t, err)
		require.True(t, bytes.HasSuffix(data, []byte("\n")), "the torn line was cut off")
		r := open(t, f.Path())
		require.Zero(t, r.Warnings())
		require.Equal(t, session.RecordingTorn, r.Stats().Recording)
		require.Equal(t, rows(t, f)[:r.Len()], rows(t, r))
		require.Equal(t, s.Size, r.Stats().Size)
	}
}

func TestFullDiskInLongLine(t *testing.T) {
	for name, payload := range map[string][]byte{
		"m":   []byte(`{"id":1,"method":"` + string(bytes.Repeat([]byte("x"), 300_000)) + `"}`),
		"raw": bytes.Repeat([]byte("x\t"), 150_000),
		"b64": bytes.Repeat([]byte("x\xff"), 150_000),
	} {
		for _, room := range []int{0, 10, 100_000, 250_000} {
			t.Run(fmt.Sprint(name, room), func(t *testing.T) {
				f := create(t, Options{})
				full(f, 40+room)
				long := session.Entry{Kind: session.KindStdout, Seq: 2, Payload: payload, Msg: framing.Scan(payload)}
				require.NoError(t, f.Append([]session.Entry{stdout(1, ""), long, stdout(3, "after")}))
				require.Equal(t, "\n"+string(payload)+"\nafter\n", string(stream(t, f, session.KindStdout)))
				require.Equal(t, session.RecordingStopped, f.Stats().Recording)
				data, err := os.ReadFile(f.Path())
				require.NoError(t, err)
				require.Equal(t, byte('\n'), data[len(data)-1])
			})
		}
	}
}

func TestMemoryIsLimited(t *testing.T) {
	f := create(t, Options{})
	full(f, 0)
	require.NoError(t, f.Append([]session.Entry{stdout(1, "first")}))
	f.memory.limit = 3 * memoryBlock
	line := bytes.Repeat([]byte("x"), 50_000)
	const n = 200
	for range n {
		require.NoError(t, f.Append([]session.Entry{{Kind: session.KindStdout, Seq: 2, Payload: line}}))
	}
	require.LessOrEqual(t, f.memory.kept, f.memory.limit)
	all := rows(t, f)
	require.Len(t, all, n+1)
	kept := 0
	for _, row := range all {
		e, err := f.Entry(row, 0)
		if row.Flags&session.FlagDropped != 0 {
			require.ErrorIs(t, err, ErrNotKept)
			require.Zero(t, kept, "the oldest are dropped")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, line, e.Payload)
		kept++
	}
	require.InDelta(t, 3*memoryBlock/len(line), kept, memoryBlock/float64(len(line)))
}

func TestLineLongerThanMemoryIsNotKept(t *testing.T) {
	f := create(t, Options{})
	full(f, 0)
	require.NoError(t, f.Append([]session.Entry{stdout(1, "first")}))
	huge := bytes.Repeat([]byte("x"), memoryLimit/4+1)
	require.NoError(t, f.Append([]session.Entry{{Kind: session.KindStdout, Payload: huge}, stdout(2, "after")}))
	all := rows(t, f)
	require.NotZero(t, all[0].Flags&session.FlagDropped)
	require.NotZero(t, all[1].Flags&session.FlagDropped)
	require.Zero(t, all[2].Flags&session.FlagDropped)
	e, err := f.Entry(all[2], 0)
	require.NoError(t, err)
	require.Equal(t, "after", string(e.Payload))
	require.Equal(t, all[1].Off+int64(all[1].Len), all[2].Off)
}

func TestFailedSyncStopsRecording(t *testing.T) {
	f := createSynced(t, Options{})
	require.NoError(t, f.Append([]session.Entry{stdout(1, "one")}))
	err := error(syscall.EIO)
	f.syncer.err.Store(&err)
	require.Contains(t, f.Stats().RecordingError, "input/output error")
	require.NoError(t, f.Append([]session.Entry{stdout(2, "two")}))
	require.NoError(t, f.Append([]session.Entry{stdout(3, "three")}))
	require.Equal(t, "one\ntwo\nthree\n", string(stream(t, f, session.KindStdout)))
	require.Equal(t, session.RecordingStopped, f.Stats().Recording)
	require.ErrorIs(t, f.Close(), syscall.EIO)
}
