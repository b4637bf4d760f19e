package framing

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// inParts adds a line to a Partial in parts of at most limit bytes, and returns it with
// the number of the part, from 1, that showed the response.
func inParts(line []byte, limit int, ended bool) (p Partial, at int) {
	for n := 1; ; n++ {
		part := line[:min(len(line), limit)]
		line = line[len(part):]
		if p.Add(part, ended && len(line) == 0) {
			return p, n
		}
		if len(line) == 0 {
			return p, 0
		}
	}
}

func TestPartialFindsTheResponse(t *testing.T) {
	const limit = 100
	long := strings.Repeat("x", 60*limit)
	deep := strings.Repeat(`[`, MaxDepth+1) + strings.Repeat(`]`, MaxDepth+1)
	for _, tc := range []struct {
		name, line string
		id         string // "" for none
		kind       Kind
		at         int // the part that shows it: 1 is the first, -1 the last
	}{
		{"id first", `{"jsonrpc":"2.0","id":4,"result":{"a":"LONG"}}`, "4", Response, 1},
		{"error", `{"id":"a-1","error":{"message":"LONG"}}`, `"a-1"`, ErrorResponse, 1},
		{"space", ` { "id" : 4 , "result" : "LONG"}`, "4", Response, 1},
		{"escaped name", `{"\u0069d":4,"result":"LONG"}`, "4", Response, 1},
		{"after a short result", `{"result":{"id":5},"id":4,"x":"LONG"}`, "4", Response, 1},
		{"id last", `{"result":{"a":"LONG"},"jsonrpc":"2.0","id":4}`, "4", Response, -1},
		{"id last, space", `{"result":{"a":"LONG"}, "jsonrpc" : "2.0", "id" : 4 } `, "4", Response, -1},
		{"text last", `{"result":{"a":"LONG"},"id":"a\\\"\\"}`, `"a\\\"\\"`, Response, -1},
		{"error, id last", `{"error":{"message":"LONG","data":[{"id":5}]},"id":-1.5e+3}`, "-1.5e+3", ErrorResponse, -1},
		{"id first, result last", `{"id":4,"x":"LONG","result":{}}`, "4", Response, -1},
		{"the limit is in the id", `{"result":{"a":"` + strings.Repeat("x", 75) + `"},"id":44,"x":"LONG"}`, "", NotJSON, 0},
		{"id in the middle", `{"result":"LONG","id":4,"x":"LONG"}`, "", NotJSON, 0},
		{"no id", `{"result":{"id":4,"a":"LONG","b":{"id":4}}}`, "", NotJSON, 0},
		{"id in a text", `{"result":{"a":"LONG\"},\"id\":4}"}}`, "", NotJSON, 0},
		{"id null", `{"id":null,"error":{"message":"LONG"}}`, "", NotJSON, 0},
		{"two ids", `{"id":4,"x":"LONG","result":{},"id":5}`, "", NotJSON, 0},
		{"a request", `{"id":4,"method":"m","params":{"result":"LONG"}}`, "", NotJSON, 0},
		{"a request, method last", `{"params":{"result":"LONG"},"method":"m","id":4}`, "", NotJSON, 0},
		{"a notification", `{"method":"m","params":{"id":4,"result":"LONG"}}`, "", NotJSON, 0},
		{"a batch", `[{"id":4,"result":"LONG"}]`, "", NotJSON, 0},
		{"text before", `DEBUG {"error":{"message":"LONG"},"id":4,"result":{}}`, "", NotJSON, 0},
		{"malformed", `{"a":01,"id":4,"result":"LONG"}`, "", NotJSON, 0},
		{"two lines in one", `{"a":"LONG"}{"id":4,"result":{}}`, "", NotJSON, 0},
		{"nested too deep", `{"id":4,"result":DEEP}`, "4", Response, 1},
		{"nested too deep, id last", `{"result":DEEP,"id":4}`, "4", Response, -1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			line := []byte(strings.NewReplacer("LONG", long, "DEEP", deep).Replace(tc.line))
			parts := (len(line) + limit - 1) / limit
			p, at := inParts(line, limit, true)
			require.Equal(t, tc.id != "", p.Found)
			if tc.at < 0 {
				tc.at = parts
			}
			require.Equal(t, tc.at, at)
			if p.Found {
				require.Equal(t, tc.id, string(p.ID))
				require.Equal(t, tc.kind, p.Kind)
			}
			if cut, at := inParts(line, limit, false); tc.at != 1 {
				require.False(t, cut.Found, "the line did not end")
				require.Zero(t, at)
			}
		})
	}
}

// TestPartialCutInAName checks that an escaped quote, at which the last bytes of a line
// begin, does not begin a name.
func TestPartialCutInAName(t *testing.T) {
	end := `"id":3,"result":{"a":"LONG"}}`
	end = strings.Replace(end, "LONG", strings.Repeat("x", maxTail-len(end)+len("LONG")), 1)
	require.Len(t, end, maxTail)
	p, at := inParts([]byte(`{"a":"`+strings.Repeat("x", maxTail)+`","x\`+end), 100, true)
	require.False(t, p.Found, "%s", p.ID)
	require.Zero(t, at)
}

// TestPartialNeedsLittleMemory checks that only the last bytes of a line are kept.
func TestPartialNeedsLittleMemory(t *testing.T) {
	var p Partial
	p.Add([]byte(`{"result":"`), false)
	for range 1000 {
		require.False(t, p.Add(bytes.Repeat([]byte("x"), 1000), false))
	}
	require.LessOrEqual(t, cap(p.Ending), 4*maxTail)
	require.True(t, p.Add([]byte(`","id":7}`), true))
	require.Equal(t, "7", string(p.ID))
	require.Nil(t, p.Ending)
}

// FuzzPartial checks that a Partial never takes something else for the id of a message,
// wherever the line is cut.
func FuzzPartial(f *testing.F) {
	for _, seed := range scanSeeds {
		f.Add([]byte(seed), uint16(len(seed)/2))
	}
	f.Add([]byte(`{"result":{"a":"\"},\"id\":5}","b":[{"id":6}]},"id":"4\\"}`), uint16(9))
	f.Add([]byte(`{"error":{"id":[]},"x":"\\\\\"","id":-1.5E+7,"y":{}}`), uint16(30))
	f.Fuzz(func(t *testing.T, line []byte, size uint16) {
		before := bytes.Clone(line)
		limit := max(1, int(size))
		p, _ := inParts(line, limit, true)
		require.Equal(t, before, line, "the line was modified")
		m := Scan(line)
		id := string(m.ID.Of(line))
		doubtful := m.Problems&ProblemDuplicateKey != 0 || m.Kind == Request && (m.Result != Span{} || m.Error != Span{})
		isResponse := (m.Kind == Response || m.Kind == ErrorResponse) && id != "" && id != "null"
		switch {
		case !m.Valid() || doubtful: // nothing is known about it
		case p.Found:
			require.True(t, isResponse, "not a response: %q", line)
			require.Equal(t, id, string(p.ID), "%q", line)
		case len(line) <= maxTail:
			require.False(t, isResponse, "%q is a response", line)
		}
	})
}
