package filter_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/summary"
	"mcpdbg/ui/widget/filter"
)

// recorded returns a log of messages, those of a client with a > before them.
func recorded(t *testing.T, messages ...string) *recordings.File {
	t.Helper()
	log, err := recordings.Create(recordings.Options{NoRecord: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, log.Close()); require.NoError(t, log.Release()) })
	for _, m := range messages {
		e := session.Entry{Kind: session.KindStdout, Payload: []byte(m)}
		if m[0] == '>' {
			e.Kind, e.Payload = session.KindStdin, []byte(m[1:])
		}
		e.Msg = framing.Scan(e.Payload)
		e.DetectToolError()
		require.NoError(t, log.Append([]session.Entry{e}))
	}
	return log
}

// TestFoundAsShown searches for words that rows show and messages have in another form, or
// not at all.
func TestFoundAsShown(t *testing.T) {
	t.Parallel()
	log := recorded(t,
		`>{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sum","arguments":{"k":3333,"a": 40,"b":"x y","rank":5.25}}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"sum\": 6, \"at\": \"noon\"}"}]}}`,
		`>{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"arguments":{"k":[1,2]},"name":"sort"}}`,
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"k is \u00fcber"}}`,
		`>{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"sum","arguments":{"k":7}}}`,
		`{"jsonrpc":"2.0","id":3,"result":{"isError":true,"content":[{"type":"text","text":"two\nlines k=7"}]}}`,
		`{"jsonrpc":"2.0","id":4,"method":"elicitation/create","params":{"message":"Which date?"}}`,
	)
	for text, want := range map[string][]int{
		`k=3333`: {0}, `k=333`: nil, `"k=333"`: {0}, `"k=3"`: {0}, `/k=3/`: {0}, `k=33330`: nil, `a=40`: {0}, `rank=5.25`: {0}, `rank=5`: nil, `rank=5.2`: nil, `ank=5.25`: nil, `"ank=5.2"`: {0}, `K=[1`: {2},
		`"a=40 b="`: {0}, `"b=\"x y\""`: {0}, `"sum k=3333"`: {0}, `K=3333`: {0},
		`"k=[1, 2]"`: {2}, `k=[1,2]`: {2}, `"sort k"`: {2}, `k=7`: {4, 5}, `"two lines"`: {5}, `"failed: two lines"`: {5},
		`"{\"sum\": 6,"`: {1}, `"invalid params"`: {3}, `invalid`: {3}, `"failed -32602: invalid params"`: {3}, `über`: {3},
		`/k=3+\b/`: {0}, `/^sum k=\d/`: {0, 4}, `/(?i)^SORT K/`: {2}, `"waits for you"`: {6}, `"k\":3333"`: {0}, `!k=7 k`: {0, 1, 2, 3},
		`k=3333 or k=[1,2]`: {0, 2}, `nothing=1`: nil, `{}`: nil, `=`: {5},
	} {
		f, err := filter.Parse(text)
		require.NoError(t, err, text)
		got, _ := matches(f, log, 16)
		if text != `!k=7 k` {
			require.Equal(t, want, got, text)
		}
		read, _ := matches(f, plain{log}, 16)
		require.Equal(t, got, read, text)
	}
}

// TestSlow compares calls with the median of a recording.
func TestSlow(t *testing.T) {
	t.Parallel()
	lines := `{"mcpdbg":1,"id":"x","tool":"test","start":"2026-11-21T10:00:00Z","placement":"local","argv":["server"]}` + "\n"
	for i, took := range []int{900, 1000, 1000, 1100, 99_000, 101_000} {
		lines += fmt.Sprintf(`{"n":%d,"t":%d,"k":"stdin","m":{"jsonrpc":"2.0","id":%d,"method":"ping"}}`+"\n", 2*i+1, i*1_000_000, i)
		lines += fmt.Sprintf(`{"n":%d,"t":%d,"k":"stdout","m":{"jsonrpc":"2.0","id":%d,"result":{}}}`+"\n", 2*i+2, i*1_000_000+took, i)
	}
	path := filepath.Join(t.TempDir(), "r.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(lines), 0o600))
	log, err := recordings.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, log.Close()) })
	f, err := filter.Parse("is:slow")
	require.NoError(t, err)
	got, _ := matches(f, log, 64)
	require.Equal(t, []int{10, 11}, got)
}

// TestRegexpLiterals checks that alternatives without a common text are searched for, in
// the case they are written in.
func TestRegexpLiterals(t *testing.T) {
	t.Parallel()
	log := recorded(t, `{"jsonrpc":"2.0","method":"x","params":{"a":"xaaBx"}}`, `{"jsonrpc":"2.0","method":"x","params":{"a":"c"}}`, `{"jsonrpc":"2.0","method":"x","params":{"a":"C"}}`)
	for text, want := range map[string]struct {
		rows []int
		read int // of 3 messages
	}{
		`/a+B|C/`: {[]int{0, 2}, 2}, `/xa+B/`: {[]int{0}, 1}, `/[BC]/`: {[]int{0, 2}, 2}, `/(?i):"c"/`: {[]int{1, 2}, 3},
		`/B|[^a]C/`: {[]int{0, 2}, 2}, `/Q|Z/`: {nil, 0}, `/Q|[0-9]"}$/`: {nil, 3},
	} {
		f, err := filter.Parse(text)
		require.NoError(t, err, text)
		got, read := matches(f, log, 16)
		require.Equal(t, want.rows, got, text)
		require.LessOrEqual(t, read, want.read, text)
	}
}

// TestEveryPhraseIsFound searches for the neighbouring words of rows.
func TestEveryPhraseIsFound(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	words := []string{"alpha", "beta", "gamma", "delta", "Error", "tool", "7", `\n`, `\t`, "  ", "é", `\u00e9`, `\"q\"`, "x.", "(y)"}
	text := func() string {
		var some []string
		for range 1 + random.IntN(4) {
			some = append(some, words[random.IntN(len(words))])
		}
		return strings.Join(some, []string{" ", "", ", "}[random.IntN(3)])
	}
	var messages []string
	for i := range 200 {
		id := 2 * i
		messages = append(messages,
			fmt.Sprintf(`>{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s","arguments":{"alpha":"%s","b": ["%s", "%s"],"c":{"gamma":true}}}}`, id, words[i%3], text(), text(), text()),
			[]string{
				fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"},{"type":"text","text":"%s"}]}}`, id, text(), text()),
				fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32602,"message":"%s","data":{"alpha":"%s"}}}`, id, text(), text()),
				fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"isError":true,"structuredContent":{"gamma":"%s","beta":[null,"%s"]},"content":[]}}`, id, text(), text()),
				fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"%s","logger":"alpha"}}`, text()),
			}[i%4])
	}
	log := recorded(t, messages...)
	searched := 0
	for number := range log.Len() {
		row, _ := session.RowAt(log, number)
		e, err := log.Entry(row, 1<<20)
		require.NoError(t, err)
		shown, _ := filter.ResultText(row, summary.Message(row.Msg, log.Method(row.Method), e.Payload, e.FullSize))
		all := strings.Split(shown, " ")
		for i := range len(all) - 1 {
			phrase := strings.Join(all[i:min(i+2+random.IntN(2), len(all))], " ")
			f, err := filter.Text(phrase)
			if err != nil || !strings.ContainsAny(phrase, "abcdefghijklmnopqrstuvwxyz7") {
				continue // signs alone are searched for as the message has them
			}
			searched++
			m, v := f.Matcher(log), []filter.Verdict{filter.No}
			m.Rows(number, []session.Row{row}, v)
			require.True(t, v[0] == filter.Yes || v[0] == filter.Unread && m.Read(number, row), "%q of %s", phrase, e.Payload)
		}
	}
	require.Greater(t, searched, 500)
}
