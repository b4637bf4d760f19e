//go:build unix

package recordings

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/session"
)

// A recorder writes and locks a file as another program would.
type recorder struct {
	*os.File
	t testing.TB
}

func newRecorder(t testing.TB) recorder {
	f, err := os.Create(filepath.Join(t.TempDir(), "live.jsonl"))
	require.NoError(t, err)
	lock(f)
	t.Cleanup(func() { _ = f.Close() })
	return recorder{f, t}
}

func (r recorder) write(s string) {
	_, err := r.WriteString(s)
	require.NoError(r.t, err)
}

// openLive opens the file of a recorder.
func openLive(t testing.TB, path string) *Recording {
	r, err := OpenProgressive(path)
	require.NoError(t, err)
	require.True(t, r.Live())
	require.Equal(t, session.RecordingOn, r.Stats().Recording)
	return r
}

// look waits until a follower has checked its file again.
func look() {
	time.Sleep(followEvery)
	synctest.Wait()
}

func TestLiveRecordingIsFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := create(t, Options{})
		require.NoError(t, f.Append([]session.Entry{stdout(1, `{"id":1,"method":"m"}`)}))
		r := openLive(t, f.Path())
		require.Equal(t, 1, r.Len())
		require.True(t, r.Progress().Done)
		require.Equal(t, session.ReqPending, rows(t, r)[0].State)

		changed := r.Changed()
		answer := stdout(0, `{"id":1,"result":1}`)
		answer.Kind = session.KindStdin
		require.NoError(t, f.Append([]session.Entry{answer}))
		look()
		<-changed
		require.Equal(t, 2, r.Len())
		changed = r.Changed()
		look()
		select {
		case <-changed:
			t.Fatal("nothing changed")
		default:
		}
		require.NoError(t, f.Close())
		look()
		<-changed
		require.Equal(t, session.RecordingDone, r.Stats().Recording)
		require.False(t, r.Live())
		requireSameRows(t, f, r)
		r.over.Wait()
		require.NoError(t, r.Close())
	})
}

func TestRecorderDies(t *testing.T) {
	for name, last := range map[string]string{"between lines": "", "in a line": `{"n":2,"t":0,"k"`, "in its last line": `{"n":2,"t":0,"k":"end","entries":2}`} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newRecorder(t)
				f.write(header + `{"n":1,"t":0,"k":"stderr","raw":"x"}` + "\n" + last)
				r := openLive(t, f.Name())
				look()
				require.True(t, r.Live())
				require.NoError(t, f.Close())
				look()
				require.False(t, r.Live())
				require.Equal(t, session.RecordingTorn, r.Stats().Recording)
				require.Equal(t, 1, r.Len())
				require.NoError(t, r.Close())
			})
		})
	}
}

func TestTornLineIsCompleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newRecorder(t)
		f.write(header + `{"n":1,"t":0,"k":"stderr"`)
		r := openLive(t, f.Name())
		require.Zero(t, r.Len())
		f.write(`,"raw":"x"}`)
		look()
		require.Zero(t, r.Len())
		require.Equal(t, int64(len(header)), r.Progress().Bytes)
		f.write("\n")
		look()
		require.Equal(t, 1, r.Len())
		require.Zero(t, r.Warnings())
		require.NoError(t, r.Close())
	})
}

func TestFollowedFileShrinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newRecorder(t)
		f.write(header + string(pairs(0, 10)))
		r := openLive(t, f.Name())
		all := rows(t, r)
		require.NoError(t, f.Truncate(all[5].Off))
		changed := r.Changed()
		look()
		<-changed
		require.Equal(t, session.RecordingShrunk, r.Stats().Recording)
		_, err := r.Entry(all[4], 0)
		require.NoError(t, err)
		_, err = r.Entry(all[5], 0)
		require.ErrorIs(t, err, ErrShrunk)
		require.NoError(t, r.Close())
	})
}

func TestReadOfShrunkFile(t *testing.T) {
	path := write(t, header+string(pairs(0, 10)))
	r := open(t, path)
	all := rows(t, r)
	require.NoError(t, os.Truncate(path, all[5].Off+10))
	require.Equal(t, session.RecordingTorn, r.Stats().Recording, "not noticed yet")
	changed := r.Changed()
	for _, limit := range []int{0, 5} {
		_, err := r.Entry(all[9], limit)
		require.ErrorIs(t, err, ErrShrunk)
	}
	_, err := r.EntryInto(all[5], 0, make([]byte, 1000))
	require.ErrorIs(t, err, ErrShrunk)
	_, err = r.ReadLine(all[6], make([]byte, 10), 0)
	require.ErrorIs(t, err, ErrShrunk)
	<-changed
	require.Equal(t, session.RecordingShrunk, r.Stats().Recording)
	require.Len(t, rows(t, r), 10)
	_, err = r.Entry(all[4], 0)
	require.NoError(t, err)
}

// TestFollowedEqualsOpened checks that a followed file has the rows of the final one.
func TestFollowedEqualsOpened(t *testing.T) {
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 9))
			content := string(randomRecording(rng))
			f := newRecorder(t)
			f.write(header)
			r := openLive(t, f.Name())
			for rest := content[len(header):]; len(rest) > 0; {
				n := min(len(rest), rng.IntN(1+len(content)/4))
				f.write(rest[:n])
				rest = rest[n:]
				look()
			}
			require.NoError(t, f.Close())
			look()
			r.over.Wait()
			whole := open(t, f.Name())
			requireSame(t, whole, r)
			require.NoError(t, r.Close())
		})
	}
}

func TestCloseWhileFollowing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newRecorder(t)
		f.write(header)
		r := openLive(t, f.Name())
		require.NoError(t, r.Close())
	})
}
