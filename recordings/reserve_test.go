package recordings

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// A fakeDisk has a limited number of bytes and reserves them for files.
type fakeDisk struct {
	free     int64
	asked    []int64
	reserved map[*os.File]int64
}

// on makes a recording reserve its space on the disk.
func (d *fakeDisk) on(f *File) {
	release(f.part.f, f.end, &f.part.reserve)
	f.part.reserve = reserve{end: f.end + lastRoom}
	d.reserved = map[*os.File]int64{f.part.f: f.end + lastRoom}
	f.allocate = func(file *os.File, off, size int64) error {
		d.asked = append(d.asked, size)
		if size > d.free {
			return &os.PathError{Op: "fallocate", Path: file.Name(), Err: syscall.ENOSPC}
		}
		d.free -= size
		d.reserved[file] = off + size
		return nil
	}
	write := f.write
	f.write = func(file *os.File, p []byte) (int, error) {
		n, err := write(file, p)
		if info, statErr := file.Stat(); statErr == nil && info.Size() > d.reserved[file] {
			return n, fmt.Errorf("%d bytes are written where %d are reserved", info.Size(), d.reserved[file])
		}
		return n, err
	}
}

// last reads the last entry of a file.
func last(t *testing.T, path string) session.Entry {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, bytes.HasSuffix(data, []byte("\n")))
	e, err := Decode(data[bytes.LastIndexByte(data[:len(data)-1], '\n')+1:])
	require.NoError(t, err)
	return e
}

func TestRecordingOnFullDiskEndsWithNote(t *testing.T) {
	for room := int64(0); room < 9_000; room += 97 {
		f := create(t, Options{})
		d := &fakeDisk{free: room}
		d.on(f)
		var want strings.Builder
		for i := range uint64(30) {
			line := strings.Repeat("x", int(i*37%700))
			want.WriteString(line + "\n")
			require.NoError(t, f.Append([]session.Entry{stdout(2*i+1, line), stdout(2*i+2, "")}))
			want.WriteString("\n")
		}
		require.Equal(t, want.String(), string(stream(t, f, session.KindStdout)), "the session continues")
		all := rows(t, f)
		for i, row := range all {
			e, err := f.Entry(row, 0)
			require.NoError(t, err)
			require.EqualValues(t, i+1, e.N, "the note has a number of its own")
		}
		require.ErrorIs(t, f.Close(), syscall.ENOSPC)
		stats := f.Stats()
		require.Equal(t, session.RecordingStopped, stats.Recording)

		note := last(t, f.Path())
		text, ok := stoppedReason(&note)
		require.True(t, ok, note)
		require.Equal(t, "recording stopped: no space left on device", text)
		require.Equal(t, fmt.Sprintf("no space left on device; not recorded from entry %d on", note.N+1), stats.RecordingError)

		r := open(t, f.Path())
		require.Zero(t, r.Warnings())
		require.Equal(t, session.RecordingCut, r.Stats().Recording)
		require.True(t, r.Stats().Recording.Complete())
		require.Equal(t, text, r.Stats().RecordingError)
		require.Equal(t, all[:r.Len()], rows(t, r))
		s, err := Peek(f.Path())
		require.NoError(t, err)
		require.Equal(t, session.RecordingCut, s.State)
		require.Equal(t, text, s.Stopped)
		report, err := Verify(f.Path())
		require.NoError(t, err)
		require.Empty(t, report.Problems)
		require.False(t, report.Finished)
	}
}

func TestLongLineWithoutRoomIsNotBegun(t *testing.T) {
	for _, payload := range []string{`{"m":"` + strings.Repeat("x", 300_000) + `"}`, strings.Repeat("x\t", 150_000), strings.Repeat("x\xff", 150_000)} {
		for free, fits := range map[int64]bool{1000: false, 300_000: false, 1_000_000: true} {
			f := create(t, Options{})
			d := &fakeDisk{free: free}
			d.on(f)
			require.NoError(t, f.Append([]session.Entry{stdout(1, "before"), stdout(2, payload), stdout(3, "after")}))
			require.Equal(t, "before\n"+payload+"\nafter\n", string(stream(t, f, session.KindStdout)))
			if fits {
				require.NoError(t, f.Close())
				continue
			}
			require.ErrorContains(t, f.Close(), "not recorded from entry 3 on")
			note := last(t, f.Path())
			_, ok := stoppedReason(&note)
			require.True(t, ok)
			require.EqualValues(t, 2, note.N)
		}
	}
}

func TestSpaceIsReservedInSteps(t *testing.T) {
	f := create(t, Options{})
	d := &fakeDisk{free: 1 << 40}
	d.on(f)
	line := strings.Repeat("x", 1000)
	for range 2500 {
		require.NoError(t, f.Append([]session.Entry{stdout(1, line)}))
	}
	require.Len(t, d.asked, 3, "for 2.6 MB")
	for _, size := range d.asked {
		require.EqualValues(t, reserveStep, size)
	}
	require.NoError(t, f.Close())
}

func TestPartsReserveSpace(t *testing.T) {
	f := create(t, Options{MaxPart: 4000})
	d := &fakeDisk{free: 1<<20 + 8000}
	d.on(f)
	for i := range uint64(40) {
		require.NoError(t, f.Append([]session.Entry{stdout(i+1, strings.Repeat("x", 300))}))
	}
	require.ErrorIs(t, f.Close(), syscall.ENOSPC)
	require.Greater(t, f.part.number, 1)
	note := last(t, f.part.f.Name())
	_, ok := stoppedReason(&note)
	require.True(t, ok)
	r := open(t, f.Path())
	require.Equal(t, session.RecordingCut, r.Stats().Recording)
}

// TestSpaceThatCannotBeReserved checks that recording works without reserved space.
func TestSpaceThatCannotBeReserved(t *testing.T) {
	f := create(t, Options{})
	f.part.reserve = reserve{}
	asked := 0
	f.allocate = func(*os.File, int64, int64) error { asked++; return syscall.EOPNOTSUPP }
	for range 100 {
		require.NoError(t, f.Append([]session.Entry{stdout(1, strings.Repeat("x", 1000))}))
	}
	require.NoError(t, f.Close())
	require.Equal(t, 1, asked)
	require.Equal(t, session.RecordingDone, open(t, f.Path()).Stats().Recording)
}

// The first chunk of an unfinished line may be older than recorded chunks.
func TestVerifyIgnoresMissingChunksOfStoppedRecording(t *testing.T) {
	f := create(t, Options{})
	d := &fakeDisk{free: 2000}
	d.on(f)
	long := stdout(4, strings.Repeat("x", 5000))
	long.First, long.Cuts = 1, []framing.Cut{{Seq: 4, Off: 2000}}
	require.NoError(t, f.Append([]session.Entry{
		session.NewEntry(session.KindStart, 0, session.StartBody{Process: "p"}), stdout(2, "a"), stdout(3, "b"), long,
	}))
	require.Error(t, f.Close())
	report, err := Verify(f.Path())
	require.NoError(t, err)
	require.Empty(t, report.Problems)
	require.Equal(t, "recording stopped: no space left on device", report.Stopped)
}

// TestStoppedRecordingIsNotLive checks that followers see the end of a stopped
// recording at once: the lock is released.
func TestStoppedRecordingIsNotLive(t *testing.T) {
	f := create(t, Options{})
	d := &fakeDisk{free: 100}
	d.on(f)
	require.NoError(t, f.Append([]session.Entry{stdout(1, strings.Repeat("x", 1000))}))
	r := open(t, f.Path())
	require.False(t, r.Live())
	require.Equal(t, session.RecordingCut, r.Stats().Recording)
}
