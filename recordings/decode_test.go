package recordings

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/index"
)

// memberByMember decodes a line without the fast path for usual ones: a space
// after the brace disables it.
func memberByMember(line string) (session.Entry, int, error) {
	var d decoder
	e, err := d.decode([]byte(strings.Replace(line, "{", "{ ", 1)))
	return e, d.before - 1, err
}

func TestUsualHeads(t *testing.T) {
	const m = `,"m":{"jsonrpc":"2.0","id":1,"result":{}}}`
	for line, usual := range map[string]bool{
		`{"n":7,"t":0,"k":"stdin"` + m:                                  true,
		`{"n":7,"t":31,"k":"stdout","seq":9` + m:                        true,
		`{"n":999999999999999999,"t":1,"k":"stdin"` + m:                 true,
		`{"n":9999999999999999999,"t":1,"k":"stdin"` + m:                false,
		`{"n":0,"t":1,"k":"stdin"` + m:                                  false,
		`{"n":7,"t":-1,"k":"stdin"` + m:                                 false,
		`{"n":7,"t":1,"k":"stdin","seq":3` + m:                          true,
		`{"n":7,"t":1,"k":"stdout"` + m:                                 false,
		`{"n":7,"t":1,"k":"stdout","seq":9,"first":4` + m:               false,
		`{"n":7,"t":1,"k":"stdout","seq":9,"eol":"\r\n"` + m:            false,
		`{"n":7,"t":1,"k":"stderr","seq":9` + m:                         false,
		`{"t":1,"n":7,"k":"stdin"` + m:                                  false,
		`{"n":7,"t":1,"k":"note","text":"a note","m":1}`:                false,
		`{"n":7,"t":1,"k":"stdout","seq":9,"raw":"listening"}`:          false,
		`{"n":7,"t":1,"k":"stdin","m"`:                                  false,
		`{"n":7,"t":1,"k":"stdin","m":`:                                 false,
		`{"n":7,"t":1,"k":"stdin","m": {}}`:                             false,
		`{"n":,"t":1,"k":"stdin"` + m:                                   false,
		`{"n":7,"t":,"k":"stdin"` + m:                                   false,
		`{"n":7,"t":1,"k":"stdout","seq":` + m:                          false,
		`{"n":7,"t":1,"k":"stdinx"` + m:                                 false,
		strings.Repeat(" ", 3) + `{"n":7,"t":1,"k":"stdin"` + m + " \n": false,
	} {
		d := decoder{members: members{b: trimRight([]byte(line))}}
		var e session.Entry
		require.Equal(t, usual, d.usual(&e), line)

		e, err := d.decode([]byte(line))
		want, before, wantErr := memberByMember(line)
		require.Equal(t, wantErr, err, line)
		if err == nil {
			require.Equal(t, want, e, line)
		}
		if err == nil && e.Kind.IsStream() {
			require.Equal(t, before, d.before, line)
		}
	}
}

// A tool result is judged where it is decoded; the index does the same for one
// that was not.
func TestJudgedEntriesMakeTheSameRows(t *testing.T) {
	entries := []session.Entry{}
	for i, result := range []string{
		`{"isError":true}`, `{"isError":false}`, `{"content":["\"isError\":true"]}`, `{"Error":true,"isError" : true}`,
		`{"a":{"isError":true}}`, `{"isError":false,"x":"isError"}`, `{}`,
	} {
		line := []byte(`{"jsonrpc":"2.0","id":` + string(rune('0'+i)) + `,"result":` + result + `}`)
		entries = append(entries, session.Entry{N: uint64(i + 1), Kind: session.KindStdout, Payload: line, Msg: framing.Scan(line)})
	}
	rows := func() []session.Row {
		var x index.Index
		for i := range entries {
			require.NoError(t, x.Add(&entries[i], int64(i), 1))
		}
		x.Publish()
		rows := make([]session.Row, len(entries))
		x.Rows(0, rows)
		return rows
	}
	asTheyAre := rows()
	for i := range entries {
		entries[i].DetectToolError()
	}
	require.Equal(t, asTheyAre, rows())
	var failed []int
	for i, row := range asTheyAre {
		if row.Flags&session.FlagError != 0 {
			failed = append(failed, i)
		}
	}
	require.Equal(t, []int{0, 3}, failed)
}
