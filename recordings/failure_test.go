package recordings

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
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

// TestReadInOrder checks that reading in order yields the same entries as reading
// each by itself while the log grows, through parts and after the disk is full.
func TestReadInOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 40 {
		f := create(t, Options{MaxPart: int64(round%2) * 1 << 16})
		if round%4 < 2 {
			full(f, random.IntN(1<<20))
		}
		lines, next := f.ReadAhead(), 0
		read := func() {
			for _, row := range rows(t, f)[next:] {
				want, wantErr := f.Entry(row, 0)
				got, err := lines.Entry(row, 0)
				require.Equal(t, wantErr, err)
				require.Equal(t, want, got)
				stored, line := make([]byte, row.Len), make([]byte, row.Len)
				_, wantErr = f.ReadLine(row, stored, 0)
				_, err = lines.ReadLine(row, line, 0)
				require.Equal(t, wantErr, err)
				require.Equal(t, stored, line)
				next++
			}
		}
		seq := uint64(0)
		for range 60 {
			batch := make([]session.Entry, 1+random.IntN(80))
			for i := range batch {
				seq++
				batch[i] = stdout(seq, fmt.Sprintf(`{"id":%d,"method":"%s"}`, seq, strings.Repeat("x", random.IntN(1<<(1+random.IntN(11))))))
			}
			require.NoError(t, f.Append(batch))
			if random.IntN(3) == 0 {
				read()
			}
		}
		_ = f.Close() // some disks were full
		read()
		require.Equal(t, f.Len(), next)
	}
}

// TestReadInOrderDuringAWrite checks that bytes after the last published row are
// not kept: they are cut off if the rest of the line can't be written.
func TestReadInOrderDuringAWrite(t *testing.T) {
	f := create(t, Options{})
	require.NoError(t, f.Append([]session.Entry{stdout(1, "one"), stdout(2, "two")}))
	lines := f.InOrder().(*aheadLive)
	full(f, 60)
	var failed error // reported afterwards: a writer that ends here would block Close
	write := f.write
	f.write = func(file *os.File, p []byte) (int, error) {
		n, err := write(file, p)
		for _, row := range rows(t, f) {
			_, err := lines.EntryInto(row, 0, nil)
			failed = errors.Join(failed, err)
		}
		assert.NotEmpty(t, lines.file.buf)
		assert.LessOrEqual(t, lines.file.off+int64(len(lines.file.buf)), f.settled())
		return n, err
	}
	require.NoError(t, f.Append([]session.Entry{stdout(3, "three"), stdout(4, "four")}))
	require.NoError(t, failed)
	require.Equal(t, session.RecordingStopped, f.Stats().Recording)
	f.write = write
	for _, row := range rows(t, f) {
		want, err := f.Entry(row, 0)
		require.NoError(t, err)
		got, err := lines.EntryInto(row, 0, nil)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}
