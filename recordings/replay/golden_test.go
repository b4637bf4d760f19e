package replay_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/recordings/replay"
	"mcpdbg/session"
)

// golden is a recording of a replay. It must never change: old recordings
// look like this.
const golden = "testdata/v1-replay.jsonl"

// TestGolden replays a recording of a replay, whose responses name their source.
func TestGolden(t *testing.T) {
	rec, err := recordings.Open(golden)
	require.NoError(t, err)
	defer rec.Close()
	require.Empty(t, rec.Warnings().String())
	by := ""
	rows := make([]session.Row, rec.Len())
	for _, row := range rows[:rec.Rows(0, rows)] {
		var b session.ActBody
		if e, err := rec.Entry(row, 0); err == nil && row.Kind == session.KindAct && e.DecodeBody(&b) == nil && b.Act == session.ActAnswer {
			by += b.By
		}
	}
	require.Equal(t, session.ByReplay, by)

	synctest.Test(t, func(t *testing.T) {
		plan, res, _ := again(t, rec, theDemo, replay.Options{})
		require.Len(t, plan.Items(), 13)
		require.Equal(t, 13, res.Count(replay.Answered))
		require.Equal(t, "mcpdbg", plan.Client().Name)
		require.Equal(t, "2025-11-25", plan.Client().Protocol)
	})
}

func FuzzMembers(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":1,"_meta":{"b":[1,{"c":"}\""}]} , "d" : "x"}`, `{"_meta":null}`, `{"_meta":1,"_meta":{}}`, `[]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, object []byte) {
		var before map[string]json.RawMessage
		if !replay.Readable(object) || json.Unmarshal(object, &before) != nil || before == nil {
			return
		}
		var after map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(replay.Without(object, func(name string) bool { return name == "_meta" }), &after), "%s", object)
		delete(before, "_meta")
		require.Equal(t, before, after)
		if strings.Count(string(object), "a") == 1 && before["a"] != nil {
			before["a"] = json.RawMessage(`"other"`)
			require.NoError(t, json.Unmarshal(replay.Put(object, "a", before["a"]), &after))
			require.JSONEq(t, `"other"`, string(after["a"]))
		}
	})
}
