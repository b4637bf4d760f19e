package recordings

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/index"
)

const header = `{"mcpdbg":1,"id":"01KAJJMHZZ3W9T5K6VQ8X1Y2ZB","tool":"t","start":"2026-11-21T10:00:00.000000Z","placement":"local","argv":[]}` + "\n"

// write writes a file of a test.
func write(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestOpenToleratesUnknownData(t *testing.T) {
	for name, c := range map[string]struct {
		lines    string
		payloads []string
		warnings Warnings
		state    session.RecordingState
	}{
		"nothing after the header": {"", nil, Warnings{}, session.RecordingTorn},
		"finished": {
			`{"n":1,"t":0,"k":"stderr","seq":1,"raw":"x"}` + "\n" + `{"n":2,"t":0,"k":"end","entries":2}` + "\n",
			[]string{"x", ""}, Warnings{}, session.RecordingDone,
		},
		"a torn last line": {
			`{"n":1,"t":0,"k":"stderr","seq":1,"raw":"x"}` + "\n" + `{"n":2,"t":0,"k":"end","entries":2}`,
			[]string{"x"}, Warnings{}, session.RecordingTorn,
		},
		"an unknown kind": {
			`{"n":1,"t":0,"k":"oracle","m":{"a":1},"says":[{"no":"}"}]}` + "\n",
			[]string{""}, Warnings{UnknownKinds: 1}, session.RecordingTorn,
		},
		"unknown keys": {
			`{"n":1,"t":0,"k":"stdout","seq":1,"mood":"good","cuts_range":[1,2],"weather":["]",{}],"raw":"x"}` + "\n",
			[]string{"x"}, Warnings{UnknownKeys: 2}, session.RecordingTorn,
		},
		"garbage": {
			"\n{}\n[]\nnull\nGARBAGE\n\x00\n" + `{"n":1,"t":0,"k":"stderr","seq":1,"raw":"x"}` + "\n" +
				`{"n":2,"t":0,"k":"stdout","m":[1]}` + "\n" + `{"n":3,"t":0,"k":"stdout","m":{"a":1}` + "\n" +
				`{"n":4,"t":0,"k":"stdout","seq":1}` + "\n" + `{"n":5,"t":0,"k":"stdout","b64":"*"}` + "\n" +
				`{"n":-6,"t":0,"k":"stdout","raw":""}` + "\n" + `{"n":7,"t":0,"k":"stdout","raw":"\x"}` + "\n" +
				`{"n":8,"t":0,"k":"stdout","raw":"a"},` + "\n" + `{"n":9,"t":0,"k":"note","text":}` + "\n",
			[]string{"x"}, Warnings{BadLines: 14}, session.RecordingTorn,
		},
		"decreasing numbers and times": {
			`{"n":2,"t":5,"k":"stderr","raw":"a"}` + "\n" + `{"n":2,"t":5,"k":"stderr","raw":"b"}` + "\n" + `{"n":3,"t":4,"k":"stderr","raw":"c"}` + "\n",
			[]string{"a", "b", "c"}, Warnings{OutOfOrder: 2}, session.RecordingTorn,
		},
		"times beyond 292 years": {
			`{"n":1,"t":9223372036854775807,"k":"start","process":"p"}` + "\n" + `{"n":2,"t":-9223372036854775807,"k":"stderr","raw":"a"}` + "\n" +
				`{"n":3,"t":9223372036854776,"k":"stdout","seq":1,"m":{"id":1}}` + "\n" + `{"n":4,"t":0,"k":"phase","phase":"p","took_us":-9223372036854775808}` + "\n" +
				`{"n":5,"t":0,"k":"held","begin":9223372036854775807,"streams":[]}` + "\n" + `{"n":6,"t":0,"k":"held","begin":0,"end":99999999999999999999,"streams":[]}` + "\n" +
				`{"n":7,"t":9223372036854775,"k":"stdout","seq":1,"m":{"id":1}}` + "\n",
			[]string{`{"id":1}`}, Warnings{BadLines: 6}, session.RecordingTorn,
		},
		"spaces, another order and CRLF of other programs": {
			`{ "k" : "stdout" , "t": 3, "n": 1, "seq": 2, "eol": "\n", "m" : {"id": 1} }` + "\r\n",
			[]string{`{"id": 1}`}, Warnings{}, session.RecordingTorn,
		},
		"base64 with escapes": {
			`{"n":1,"t":0,"k":"stderr","b64":"\/w=="}` + "\n" + `{"n":2,"t":0,"k":"stderr","b64":"/w==/w=="}` + "\n",
			[]string{"\xff"}, Warnings{BadLines: 1}, session.RecordingTorn,
		},
		"escapes that AppendEntry does not write": {
			`{"n":1,"t":0,"k":"stderr","raw":"\/\b\f\u00e9\ud83d\ude00\ud800"}` + "\n",
			[]string{"/\b\fé😀\ufffd"}, Warnings{}, session.RecordingTorn,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := open(t, write(t, header+c.lines))
			require.Equal(t, c.warnings, r.Warnings())
			require.Equal(t, c.state, r.Stats().Recording)
			require.False(t, r.Live())
			var got []string
			for _, row := range rows(t, r) {
				e, err := r.Entry(row, 0)
				require.NoError(t, err)
				got = append(got, string(e.Payload))
			}
			require.Equal(t, c.payloads, got)
			select {
			case <-r.Changed():
				t.Fatal("nothing ever changes")
			default:
			}
		})
	}
}

func TestWarningsString(t *testing.T) {
	require.Empty(t, Warnings{}.String())
	require.Equal(t, "1 entry of an unknown kind, 2 lines that are not entries", Warnings{UnknownKinds: 1, BadLines: 2}.String())
}

func TestUnknownKindKeepsItsMembers(t *testing.T) {
	r := open(t, write(t, header+`{"n":1,"t":0,"k":"oracle","seq":3,"m":{"a":1},"says":"no"}`+"\n"))
	e, err := r.Entry(rows(t, r)[0], 10)
	require.NoError(t, err)
	require.Equal(t, session.KindUnknown, e.Kind)
	require.Equal(t, uint64(3), e.Seq)
	require.Equal(t, `{"m":{"a":1},"says":"no"}`, string(e.Body))
}

func TestOpenDescribesOtherFiles(t *testing.T) {
	for content, looks := range map[string]string{
		"":                                 "an empty file",
		"\x1f\x8b\x08":                     "a gzip file",
		"\x28\xb5\x2f\xfd":                 "a zstd file",
		"SQLite format 3\x00":              "a SQLite database",
		"hello\n":                          "text",
		"\x01\x00\x02":                     "a binary file",
		"\xff\xff":                         "a binary file",
		`{"log":{"version":"1.2"}}`:        "a HAR file",
		`{"version":2,"width":80}` + "\n":  "an asciicast",
		`{"mcpServers":{}}`:                "a client configuration",
		`{"mcpdbg_smoke":1}`:               "a report of mcpdbg smoke",
		`{"jsonrpc":"2.0","method":"x"}`:   "bare JSON-RPC messages",
		`{"n":1,"t":0,"k":"start"}` + "\n": "a recording without its first line",
		`{"a":1}`:                          "other JSON",
		"{\n  \"a\": 1\n}":                 "other JSON",
		`{"mcpdbg":"one"}`:                 "other JSON",
		`{"mcpdbg":1,"id":`:                "other JSON",
		"[1,2]":                            "text",
	} {
		_, err := Open(write(t, content))
		format, ok := errors.AsType[*FormatError](err)
		require.True(t, ok, "%q: %v", content, err)
		require.True(t, strings.HasPrefix(format.LooksLike, looks), "%q: %s", content, format.LooksLike)
		require.ErrorContains(t, err, "r.jsonl is not a recording: it looks like "+looks)
		_, err = Verify(format.Path)
		require.ErrorAs(t, err, &format)
	}
	_, err := Open(write(t, `{"mcpdbg":2,"id":{}}`))
	format, ok := errors.AsType[*FormatError](err)
	require.True(t, ok)
	require.Equal(t, 2, format.Major)
	require.ErrorContains(t, err, "is a recording of version 2, and this program reads version 1")

	_, err = Open(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = Open(t.TempDir())
	require.Error(t, err)
}

func TestLinesAreReadWithBoundedMemory(t *testing.T) {
	var content bytes.Buffer
	content.WriteString(header)
	content.WriteString(`{"n":1,"t":0,"k":"stderr","raw":"before"}` + "\n")
	huge := strings.Repeat("x", 5<<20)
	content.WriteString(`{"n":2,"t":0,"k":"stdout","seq":4,"raw":"` + huge + `"}` + "\n")
	content.WriteString(`{"n":3,"t":0,"k":"stderr","raw":"after"}` + "\n" + huge + "\n" + huge)
	path := write(t, content.String())

	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	lines := &blockReader{f: f, longest: 1 << 20, off: int64(len(header))}
	var got []string
	var warnings Warnings
	for b := newBlock(blockSize, nil); lines.next(b, func() error { return nil }) == nil; {
		require.LessOrEqual(t, len(b.data), 1<<20)
		b.decode()
		warnings.add(&b.warnings)
		for i, e := range b.entries {
			got = append(got, fmt.Sprint(e.N, e.Kind, e.Seq, len(e.Payload), b.lengths[i]))
		}
	}
	require.Equal(t, []string{"1 stderr 0 6 42", fmt.Sprint("2 stdout 4 0 ", 5<<20+44), "3 stderr 0 5 41"}, got)
	require.Equal(t, Warnings{LongLines: 2, BadLines: 1}, warnings)
	require.Equal(t, int64(content.Len()), lines.end)
	require.Equal(t, int64(content.Len()-len(huge)), lines.off, "the torn line")
}

func TestBufferOfLongLineIsReleased(t *testing.T) {
	lines := newLineReader(strings.NewReader(strings.Repeat("x", 1<<20) + "\n" + strings.Repeat("a short line\n", 100_000)))
	l, err := lines.next()
	require.NoError(t, err)
	require.Len(t, l.data, 1<<20+1)
	require.Greater(t, len(lines.buf), firstBuffer)
	for err == nil {
		l, err = lines.next()
	}
	require.ErrorIs(t, err, io.EOF)
	require.Empty(t, l.data)
	require.Len(t, lines.buf, firstBuffer)
}

func TestInvalidRowIsAnError(t *testing.T) {
	r := open(t, write(t, header+`{"n":1,"t":0,"k":"stderr","raw":"x"}`+"\n"))
	row := rows(t, r)[0]
	for _, bad := range []session.Row{
		{Off: row.Off, Len: row.Len + 1}, {Off: row.Off + 1, Len: row.Len - 1}, {Off: 1 << 40, Len: 10}, {Off: -1, Len: 10}, {},
		{Off: row.Off + 2, Len: 1 << 20, Kind: session.KindStdout},
	} {
		for _, limit := range []int{0, 5} {
			_, err := r.Entry(bad, limit)
			require.Error(t, err)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add([]byte(header+`{"n":1,"t":0,"k":"start","process":"p"}`+"\n"+`{"n":2,"t":1,"k":"stdin","m":{"id":1,"method":"a"}}`+"\n"), uint16(0), byte(0))
	f.Add([]byte(header+`{"n":1,"t":0,"k":"stdout","seq":7,"first":4,"cuts":[[5,65536],[6,131072]],"cuts_dropped":1,"why":"x","more":true,"eol":"","raw":"\ud83d\ude00"}`+"\n"), uint16(17), byte(1))
	f.Add([]byte(header+`{"n":1,"t":0,"k":"closed","seq":9,"stdout":{"bytes":1,"xxh64":"00"}}`+"\n"+`{"n":2,"t":0,"k":"stderr","seq":1,"b64":"/w=="}`), uint16(300), byte(8))
	f.Add([]byte(header+`{"n":1,"t":0,"k":"gap","from":3,"to":18446744073709551615,"bytes":1}`+"\n"+`{"n":2,"t":0,"k":"end","entries":2}`+"\n"), uint16(65535), byte(255))
	f.Add([]byte("\x1f\x8b"), uint16(0), byte(0))
	f.Add([]byte(header+`{"n":1,"t":9223372036854775807,"k":"start","process":"p"}`+"\n"), uint16(0), byte(0))
	f.Add([]byte(header+`{"n":1,"t":999999999999999999,"k":"stdout","seq":1,"m":{"id":1}}`+"\n"), uint16(0), byte(0))
	f.Fuzz(func(t *testing.T, content []byte, place uint16, change byte) {
		r, err := newRecording("fuzz", inMemory(content), lastRows, "")
		if err != nil {
			return
		}
		<-r.Indexed()
		defer func() { require.NoError(t, r.Close()) }()
		all := rows(t, r)
		require.LessOrEqual(t, len(all), bytes.Count(content, []byte("\n")))
		for _, row := range all {
			e, err := r.Entry(row, 0)
			require.NoError(t, err, "every row can be read")
			require.LessOrEqual(t, len(e.Payload)+len(e.Body), len(content))
			if row.Kind.IsStream() {
				cut, err := r.Entry(row, 1)
				require.NoError(t, err)
				require.True(t, bytes.HasPrefix(e.Payload, cut.Payload))
			}
		}
		requireSameReport(t, content)
		fuzzTail(t, r, all, content)
		fuzzStored(t, r, all, content, int(place), change)
	})
}

// fuzzTail reads the end of the content as if it were a large file.
func fuzzTail(t *testing.T, r *Recording, all []session.Row, content []byte) {
	r.over.Wait()
	tail, err := readTail(r, int64(bytes.IndexByte(content, '\n')+1), int64(len(content)))
	require.NoError(t, err)
	last := rows(t, tail)
	require.LessOrEqual(t, len(last), tailCount)
	for i, row := range last {
		require.Equal(t, all[len(all)-len(last)+i].Off, row.Off)
	}
}

// fuzzStored opens the content with its stored index, in which one byte was
// changed, with a matching hash or not.
func fuzzStored(t *testing.T, r *Recording, all []session.Row, content []byte, place int, change byte) {
	info, err := r.f.Stat()
	require.NoError(t, err)
	var stored bytes.Buffer
	require.NoError(t, writeStored(&stored, r.indexer.index, r.header.ID, r.f, info, r.indexer.position))
	data := stored.Bytes()
	end := len(data) - place%min(len(data), 1<<12) - 1
	data[end] ^= change
	if change&1 != 0 && end < len(data)-storedTrailer {
		binary.LittleEndian.PutUint64(data[len(data)-len(storedMagic)-8:], xxhash.Sum64(data[len(data)-len(data)%index.PageSize:len(data)-storedTrailer]))
	}
	path := filepath.Join(t.TempDir(), "stored")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	again, err := newRecording("fuzz", inMemory(content), allRows, path)
	require.NoError(t, err)
	<-again.Indexed()
	if change == 0 {
		require.NotNil(t, again.restored)
	}
	if change == 0 || again.restored == nil {
		require.Equal(t, all, rows(t, again))
	}
	for k := range all {
		again.StatsAsOf(k)
		again.RowsAsOf(k, 0, make([]session.Row, len(all)))
	}
	require.NoError(t, again.Close())
}

// memoryFile is a file in memory.
type memoryFile struct{ *bytes.Reader }

func inMemory(content []byte) file { return memoryFile{bytes.NewReader(content)} }

func (memoryFile) Close() error                 { return nil }
func (f memoryFile) Stat() (fs.FileInfo, error) { return memoryInfo{size: f.Size()}, nil }
func (memoryFile) locked() bool                 { return false }
func (memoryFile) missing() (int, bool)         { return 0, false }

func FuzzDecode(f *testing.F) {
	for _, s := range awkward() {
		e := session.Entry{N: 1, Kind: session.KindStdout, Seq: 1, Payload: []byte(s), Msg: framing.Scan([]byte(s))}
		f.Add(AppendEntry(nil, &e))
	}
	f.Add([]byte(`{"n":1,"t":9223372036854775807,"k":"start","process":"p"}`))
	f.Add([]byte(`{"n":1,"t":0,"k":"phase","phase":"p","took_us":-9223372036854775808}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		before := bytes.Clone(line)
		e, err := Decode(line)
		require.True(t, bytes.Equal(before, line), "the caller's line is unchanged")
		require.True(t, -MaxTime <= e.T && e.T <= MaxTime)
		if err != nil || e.Kind == session.KindUnknown {
			return
		}
		// A decoded entry can be written, and is the same when read back.
		again, err := Decode(AppendEntry(nil, &e))
		require.NoError(t, err)
		if e.Kind == session.KindEnd {
			e.Body, again.Body = nil, nil
		}
		e.Why = strings.ToValidUTF8(e.Why, "")
		again.Why = strings.ToValidUTF8(again.Why, "")
		require.True(t, bytes.Equal(e.Payload, again.Payload))
		e.Payload, again.Payload = nil, nil
		require.Equal(t, e, again)
	})
}

type memoryInfo struct {
	fs.FileInfo
	size int64
}

func (i memoryInfo) Size() int64        { return i.size }
func (i memoryInfo) ModTime() time.Time { return time.Time{} }
