package ui

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/session"
)

// record makes a recording of a session with a fake server, in a bubble, and
// returns its path.
func record(t *testing.T, during func(t *testing.T, s *session.Session, x *fakeExecutor)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "session.jsonl")
	synctest.Test(t, func(t *testing.T) {
		log, err := recordings.Create(recordings.Options{Path: path, Header: session.Header{Argv: []string{"fake-server"}}})
		require.NoError(t, err)
		s, x := newSession(t, log, nil)
		require.NoError(t, s.Open(t.Context()))
		during(t, s, x)
		_, err = s.Close(t.Context())
		require.NoError(t, err)
		require.NoError(t, log.Close())
		require.NoError(t, log.Release())
	})
	return path
}

// openWhole opens a recording, all of it.
func openWhole(t *testing.T, path string) *recordings.Recording {
	t.Helper()
	r, err := recordings.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

// A partlyRead is a recording of which only the first rows are read, and a tail.
type partlyRead struct {
	*recordings.Recording
	tail int // where it begins

	mu   sync.Mutex
	rows int
	err  error
}

func (p *partlyRead) read(rows int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rows = min(rows, p.Recording.Len())
}

func (p *partlyRead) Len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rows
}

func (p *partlyRead) Rows(from int, dst []session.Row) int {
	return p.Recording.Rows(from, dst[:min(len(dst), max(p.Len()-from, 0))])
}

func (p *partlyRead) Progress() recordings.Progress {
	rows, all := p.Len(), p.Recording.Len()
	return recordings.Progress{Bytes: int64(rows), Size: int64(all), Rows: rows, Done: rows == all || p.err != nil, Err: p.err}
}

func (p *partlyRead) Stats() session.Stats {
	s := p.StatsAsOf(p.Len())
	whole := p.Recording.Stats()
	if s.Size, s.Recording = whole.Size, session.RecordingReading; p.Progress().Done {
		s.Recording = whole.Recording
	}
	return s
}

func (p *partlyRead) Tail() session.Source { return tailOf{p} }

// tailOf are the last rows, as a source of their own.
type tailOf struct{ *partlyRead }

func (o tailOf) Len() int { return o.Recording.Len() - o.tail }

func (o tailOf) Rows(from int, dst []session.Row) int {
	n := o.Recording.Rows(from+o.tail, dst)
	for i := range dst[:n] {
		dst[i].Pair = uint32(max(int(dst[i].Pair)-o.tail, 0))
	}
	return n
}

// TestReadingFrames: the end of a recording is there before the rest, and says
// nothing that the rest may belie.
func TestReadingFrames(t *testing.T) {
	path := record(t, everything)
	for _, size := range [][2]int{{120, 36}, {80, 24}, {60, 20}, {40, 10}} {
		rec := &partlyRead{Recording: openWhole(t, path), tail: 18}
		d := drive(t, Options{Opened: []Opened{{Source: rec, Title: "session.jsonl"}}}, size[0], size[1])
		rec.read(20)
		d.pull()
		requireExact(t, d.screen(), size[0], size[1])
		golden(t, fmt.Sprintf("reading-%dx%d", size[0], size[1]), d.plain())
		require.Empty(t, d.trouble.found)
		require.Empty(t, d.findings.list)
		rec.read(1000)
		d.pull()
		requireExact(t, d.screen(), size[0], size[1])
		golden(t, fmt.Sprintf("whole-%dx%d", size[0], size[1]), d.plain())
	}
}

// TestReadingKeepsThePlace: when the rest is there the cursor is on the same
// entry, in the same line, with the same detail, and the marks are too.
func TestReadingKeepsThePlace(t *testing.T) {
	path := record(t, everything)
	rec := &partlyRead{Recording: openWhole(t, path), tail: 18}
	d := drive(t, Options{Opened: []Opened{{Source: rec, Title: "session.jsonl"}}}, 120, 21)
	d.do(actUp, actUp, actUp, actMark, actUp)
	n, line := d.entryN(), d.cursorLine()
	d.do(actView)
	tree := d.detail.tree
	d.do(actDetail)
	require.Equal(t, 1, d.stderr.Len())
	rec.read(1000)
	d.pull()
	require.Equal(t, 2, d.stderr.Len())
	require.True(t, d.stderr.Following())
	require.Equal(t, detailID, d.focus)
	require.Equal(t, n, d.entryN())
	require.Equal(t, line, d.cursorLine())
	require.Same(t, tree, d.detail.tree)
	require.False(t, d.traffic.Following())
	d.do(actNextMark)
	require.Equal(t, n+1, d.entryN())
	require.NotEmpty(t, d.trouble.found)
	require.NotEmpty(t, d.findings.list)
	require.Contains(t, d.rows()[0], "FILE  session.jsonl")
}

// entryN is the number of the entry under the cursor of the traffic.
func (d *driver) entryN() uint64 {
	d.t.Helper()
	number, ok := d.traffic.Cursor()
	require.True(d.t, ok)
	row, ok := d.subject.rows.at(number)
	require.True(d.t, ok)
	e, err := d.source.Entry(row, 0)
	require.NoError(d.t, err)
	return e.N
}

// cursorLine is the line of the screen with the cursor of the traffic, as it is
// painted.
func (d *driver) cursorLine() int {
	number, _ := d.traffic.Cursor()
	for y := range d.layout.pane[trafficID].Inner().H {
		if row, ok := d.traffic.RowAt(y); ok && row == number {
			return y
		}
	}
	return -1
}

// TestBeyondTheTail: the first row can be gone to while the rest is read, and
// the last again; what lies between comes.
func TestBeyondTheTail(t *testing.T) {
	path := record(t, everything)
	rec := &partlyRead{Recording: openWhole(t, path), tail: 18}
	d := drive(t, Options{Opened: []Opened{{Source: rec, Title: "session.jsonl"}}}, 120, 36)
	rec.read(20)
	d.pull()
	d.do(actPageUp, actUp)
	require.Contains(t, d.rows()[35], "what is above is being read (50 %); g goes to the first row")
	d.do(actTop)
	require.Equal(t, "server/discover", d.source.Method(d.selected.row.Method))
	require.Contains(t, d.rows()[0], "READING 50 %")
	rec.read(25)
	d.pull()
	require.Equal(t, 25, d.index.scanned)
	d.do(actBottom)
	last := d.entryN()
	require.Equal(t, "prompts/list", d.source.Method(d.selected.row.Method))
	require.True(t, d.traffic.Following())
	d.do(actTop)
	rec.read(1000)
	d.pull()
	require.Equal(t, 0, d.index.traffic.Position(d.cursor()), "one stays there")
	require.NotContains(t, d.rows()[0], "READING")
	d.do(actBottom)
	require.Equal(t, last, d.entryN())
}

// TestReadingFilters: what is filtered stays so, over all of it.
func TestReadingFilters(t *testing.T) {
	path := record(t, everything)
	rec := &partlyRead{Recording: openWhole(t, path), tail: 18}
	d := drive(t, Options{Opened: []Opened{{Source: rec, Title: "session.jsonl"}}}, 120, 36)
	d.do(actFilter)
	d.write("kind:request")
	d.do(actAccept)
	shown := d.traffic.Len()
	d.search1("read", actTop)
	rec.read(1000)
	d.pull()
	require.Greater(t, d.traffic.Len(), shown)
	require.Contains(t, d.plain(), "filter kind:request (")
	require.Contains(t, d.plain(), "/read 1 of 1")
}

// TestReadingFails says why not all could be read, and shows what could.
func TestReadingFails(t *testing.T) {
	path := record(t, everything)
	rec := &partlyRead{Recording: openWhole(t, path), tail: 18}
	d := drive(t, Options{Opened: []Opened{{Source: rec, Title: "session.jsonl"}}}, 120, 36)
	rec.read(12)
	rec.err = fmt.Errorf("the disk is gone")
	d.pull()
	require.Contains(t, d.rows()[35], "x the disk is gone")
	require.Equal(t, 12, d.index.scanned)
	require.NotContains(t, d.rows()[0], "READING")
}
