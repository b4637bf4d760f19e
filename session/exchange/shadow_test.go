package exchange_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/recordings"
	"mcpdbg/recordings/match"
	"mcpdbg/recordings/rectest"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis/cause"
	"mcpdbg/session/diagnosis/rule"
	"mcpdbg/session/exchange"
)

// A said is what a reader says of one message: its kind, and the request that it belongs to.
type said struct {
	kind      string
	of        string // row.member of the request, "" for none
	handshake bool
	method    string
	id        string // raw
	raw       string
	ended     bool   // the process had closed
	ofSeveral bool   // of a notification: its owner is an entry of several messages
	token     string // of progress: the latest request of the process with its token
}

// followed returns what a Follower says of the messages of a log, by row.member, and how
// the requests ended.
func followed(t *testing.T, src session.Source) (all map[string]said, ended map[string]exchange.Exchange) {
	t.Helper()
	all, ended = map[string]said{}, map[string]exchange.Exchange{}
	members := map[exchange.Place]string{}
	c, f := session.NewCursor(src), exchange.NewFollower(src)
	name := func(p exchange.Place) string {
		if known, ok := members[p]; ok {
			return known
		}
		return fmt.Sprintf("%d.%d", p.Row, p.Member)
	}
	end := func(x *exchange.Exchange) {
		at := name(x.Request)
		require.NotContains(t, ended, at, "a request ends once")
		ended[at] = *x
	}
	kinds := map[exchange.StepKind]string{
		exchange.Opens: "request", exchange.Answers: "response", exchange.Duplicate: "duplicate", exchange.Unmatched: "unmatched",
		exchange.Informs: "note", exchange.Cancels: "note",
	}
	closed, tokens := false, map[string]string{}
	for c.Next() {
		number, row := c.Row()
		steps, err := f.Add(c)
		require.NoError(t, err)
		for i, m := range c.Messages() {
			at := fmt.Sprintf("%d.%d", number, m.Member)
			members[exchange.Place{Row: uint32(number), Member: uint16(i)}] = at
			if i >= len(steps) {
				continue
			}
			s := said{kind: kinds[steps[i].Kind], method: string(m.Method.Of(m.Line)), id: string(m.RawID()), raw: string(m.Line), ended: closed}
			token, _ := json.Marshal(tokenOf(m, row.Kind))
			switch {
			case m.Kind == framing.Request:
				tokens[string(token)] = at
			case s.method == "notifications/progress" && row.Flags&session.FlagBatch == 0:
				s.token = tokens[string(token)]
			}
			if owner, ok := row.Owner(); ok {
				request, _ := session.RowAt(src, owner)
				s.ofSeveral = request.Flags&session.FlagBatch != 0
			}
			if s.kind == "" && m.Kind == framing.Notification {
				s.kind = "note"
			}
			if steps[i].Known && steps[i].Kind != exchange.Opens {
				s.of = name(steps[i].Of)
			}
			if x := steps[i].X; steps[i].Kind == exchange.Opens && x != nil {
				s.handshake = x.Handshake
			}
			if s.kind != "" {
				all[at] = s
			}
		}
		for _, s := range steps {
			if s.Kind == exchange.Answers && s.X != nil {
				require.True(t, s.X.Answered)
				end(s.X)
			}
		}
		for _, x := range f.Lost() {
			end(&x)
		}
		if row.Kind == session.KindClosed || row.Kind == session.KindFailed || row.Kind == session.KindStart {
			closed, tokens = row.Kind != session.KindStart, map[string]string{}
		}
	}
	for _, x := range f.Rest() {
		end(&x)
	}
	return all, ended
}

// tokenOf returns the decoded progress token of a message, with the side that asked for
// progress.
func tokenOf(m session.Message, kind session.Kind) (token struct {
	Of    bool
	Value any
}) {
	var params struct {
		Token any `json:"progressToken"`
		Meta  struct {
			Token any `json:"progressToken"`
		} `json:"_meta"`
	}
	d := json.NewDecoder(bytes.NewReader(m.RawParams()))
	d.UseNumber()
	_ = d.Decode(&params)
	token.Of, token.Value = kind == session.KindStdin, params.Meta.Token
	if m.Kind == framing.Notification {
		token.Of, token.Value = !token.Of, params.Token
	}
	if _, number := token.Value.(json.Number); number {
		token.Value = fmt.Sprintf("number %s", token.Value)
	}
	return token
}

// matched returns what the reference says of them.
func matched(t *testing.T, src session.Source) map[string]said {
	t.Helper()
	all := map[string]said{}
	require.NoError(t, walk(t.Context(), src, func(it *match.Item) error {
		s := said{method: string(it.Msg.Method.Of(it.Msg.Line)), id: string(it.Msg.RawID()), raw: string(it.Msg.Line)}
		switch it.Kind {
		case match.ItemRequest:
			s.kind, s.handshake = "request", it.Handshake
		case match.ItemResponse:
			s.kind = map[session.ReqState]string{session.ReqNone: "response", session.ReqDuplicate: "duplicate", session.ReqUnmatched: "unmatched"}[it.State]
		case match.ItemNotification:
			s.kind = "note"
		default:
			return nil
		}
		if it.HasOf {
			s.of = fmt.Sprintf("%d.%d", it.Of.Row, it.Of.Member)
		}
		all[fmt.Sprintf("%d.%d", it.At.Row, it.At.Member)] = s
		return nil
	}))
	return all
}

// expected are the differences between the reference and the Follower, by the row of the table of
// decisions that explains them: see docs/dev/decisions.md.
var expected = []struct {
	row int
	is  func(was, is said) bool
}{
	{3, func(was, is said) bool { return is.kind == "unmatched" && (is.id == "null" || is.id == "") }},
	{3, func(was, is said) bool {
		return is.kind == "note" && is.of == "" && strings.Contains(is.raw, `Id":null`)
	}},
	{7, func(was, is said) bool { return is.ended && is.kind == "unmatched" && was.of != "" }},
	{7, func(was, is said) bool { return is.ended && is.kind == "note" && is.of == "" }},
	{10, func(was, is said) bool { return is.method == "notifications/progress" && is.of == is.token }},
	{11, func(was, is said) bool {
		return is.kind == "note" && is.of == "" && is.method != "notifications/progress" && is.method != "notifications/cancelled"
	}},
	{11, func(was, is said) bool {
		return strings.Contains(is.raw, "subscriptionId") && was.of == "" && is.of != ""
	}}, // after the response
	{12, func(was, is said) bool {
		return is.method == "notifications/cancelled" && is.of != "" && was.of != is.of
	}},
	{18, func(was, is said) bool { return is.kind == "note" && is.of == "" && is.ofSeveral }},
	{20, func(was, is said) bool { return is.kind == "request" && was.handshake != is.handshake }},
}

// compare compares what the reference says of a log and the Follower of another one, which is equal
// but for escapes in ids: the reference does not decode them (5). It returns the rows of the table
// that explain the differences.
func compare(t *testing.T, old, src session.Source) map[int]bool {
	t.Helper()
	explained := map[int]bool{}
	is, ended := followed(t, src)
	was := matched(t, old)
	for at, m := range was {
		f, ok := is[at]
		f.id, f.raw = strings.ReplaceAll(f.id, escaped, "a"), strings.ReplaceAll(f.raw, escaped, "a")
		if f.method == "notifications/progress" && f.kind == "note" && !f.ofSeveral {
			require.Equal(t, f.token, f.of, "%s: %+v", at, f)
		}
		if m.ended, m.token, m.ofSeveral = f.ended, f.token, f.ofSeveral; ok && m == f {
			continue
		}
		row := 0
		for _, e := range expected {
			if row == 0 && e.is(m, f) {
				row = e.row
			}
		}
		require.NotZero(t, row, "%s: %+v was %+v", at, f, m)
		explained[row] = true
	}
	require.Len(t, is, len(was))
	for number, row := range session.RowsFrom(src, 0) {
		if row.Msg != framing.Request || row.Flags&session.FlagBatch != 0 || row.State == session.ReqNone {
			continue
		}
		for at, x := range ended {
			if int(x.Request.Row) == number {
				require.Equal(t, row.State, x.State, "%s: %+v", at, x)
				response, paired := row.Partner()
				require.True(t, !x.Answered || paired && response == int(x.Response.Row), at)
			}
		}
	}
	return explained
}

// escaped is the letter a in a fuzzed id.
const escaped = `\u0061`

// templates are the lines of fuzzed logs; ID and TOKEN are replaced.
var templates = []string{
	`> {"id":ID,"method":"tools/call","params":{"name":"a"}}`,
	`> {"id":ID,"method":"tools/call","params":{"_meta":{"progressToken":TOKEN},"name":"a"}}`,
	`> {"id":ID,"method":"ping"}`,
	`> {"id":ID,"method":"subscriptions/listen"}`,
	`> {"id":ID,"method":"initialize"}`,
	`> {"id":ID,"method":"server/discover"}`,
	`< {"id":ID,"result":{}}`,
	`< {"id":ID,"result":{}}`,
	`< {"id":ID,"result":{"resultType":"input_required","requestState":"s"}}`,
	`< {"id":ID,"error":{"code":1,"message":"no"}}`,
	`< {"id":ID,"method":"roots/list"}`,
	`> {"id":ID,"result":{"roots":[]}}`,
	`> {"method":"notifications/cancelled","params":{"requestId":ID}}`,
	`< {"method":"notifications/cancelled","params":{"requestId":ID}}`,
	`< {"method":"notifications/progress","params":{"progressToken":TOKEN,"progress":1}}`,
	`< {"method":"notifications/message","params":{"level":"info","data":1}}`,
	`< {"method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":ID}}}`,
	`"k":"state","state":"timed-out","of":ENTRY,"id":ID`,
	`"k":"write","of":ENTRY,"status":"stdin-closed"`,
	`"k":"stdin","raw":"[{\"id\":1,\"method\":\"a\"},{\"id\":2,\"method\":\"b\"},{\"id\":2,\"method\":\"c\"}]"`,
	`"k":"stdout","seq":1,"raw":"[{\"id\":2,\"result\":{}},{\"id\":1,\"error\":{}}]"`,
	`"k":"stdin","raw":"{\"id\":3,\"method\":\"c\"}\n{\"id\":1,\"method\":\"d\"}"`,
	`"k":"stdin","eol":"","raw":"{\"id\":2,"`,
	`"k":"stdin","raw":"\"method\":\"e\"}"`,
	`"k":"stdin","eol":"","raw":"\"method\":\"e\"}\n{\"id\":1,\"method\":\"f\"}\n{\"id\":3,"`,
	`"k":"stdout","seq":90,"raw":"Server listening"`,
	`"k":"gap","bytes":7`,
	rectest.Started,
	`"k":"exited","seq":91,"code":1`,
	`"k":"closed","seq":91`,
}

func fuzzed(r *rand.Rand) []string {
	ids := []string{`1`, `2`, `3`, `"1"`, `"a"`, `"\u0061"`, `1.0`, `null`}
	lines, begun := []string{rectest.Started}, false
	for range 5 + r.IntN(40) {
		pick := r.IntN(len(templates))
		if pick >= len(templates)-3 && r.IntN(3) > 0 {
			pick = r.IntN(8)
		}
		if begun && strings.HasPrefix(templates[pick], `"k":"closed"`) {
			continue // the reference joins a line over the end of a process
		}
		if strings.HasPrefix(templates[pick], `>`) || strings.HasPrefix(templates[pick], `"k":"stdin"`) {
			begun = strings.Contains(templates[pick], `"eol":""`)
		}
		entry := 1 + r.IntN(len(lines)+1)
		line := strings.ReplaceAll(templates[pick], "ID", ids[min(r.IntN(12), len(ids)+3)%len(ids)])
		line = strings.ReplaceAll(line, "ENTRY", fmt.Sprint(entry))
		lines = append(lines, strings.ReplaceAll(line, "TOKEN", []string{`1`, `"1"`, `"a"`}[r.IntN(3)]))
	}
	return lines
}

// judged checks that rules and causes say nothing about the ids of responses that the
// Follower does not.
func judged(t *testing.T, src session.Source) {
	t.Helper()
	duplicate, unmatched := map[int]bool{}, map[int]bool{}
	c, f := session.NewCursor(src), exchange.NewFollower(src)
	for c.Next() {
		number, row := c.Row()
		all, err := f.Add(c)
		require.NoError(t, err)
		for _, s := range all {
			duplicate[number] = duplicate[number] || s.Kind == exchange.Duplicate && !s.Reused
			unmatched[number] = unmatched[number] || s.Kind == exchange.Unmatched
			if row.Kind == session.KindStdout && row.Msg == framing.NotJSON { // the rules may find a message in it
				duplicate[number], unmatched[number] = true, true
			}
		}
	}
	for _, p := range rule.Check(t.Context(), src).Problems() {
		switch p.Rule.ID {
		case "RPC07":
			require.True(t, unmatched[p.Row], "%+v", p)
		case "RPC08":
			require.True(t, duplicate[p.Row], "%+v", p)
		}
	}
	for _, one := range cause.Find(t.Context(), src) {
		switch one.ID {
		case "wrong-id", "unknown-ids", "parse-error":
			require.True(t, unmatched[one.Row], "%+v", one)
		case "duplicates":
			require.True(t, duplicate[one.Row], "%+v", one)
		}
	}
}

// tabled checks that a Table knows the same of a log that grows, of one that is read at once,
// and of an earlier moment.
func tabled(t *testing.T, src session.Source) {
	t.Helper()
	whole := exchange.NewTable(src)
	require.NoError(t, whole.Follow(t.Context(), src.Len()-1))
	log, ok := src.(session.Rewinder)
	require.True(t, ok)
	past := session.NewPast(log)
	grown := exchange.NewTable(past)
	for rows := range src.Len() {
		past.To(rows + 1)
		require.NoError(t, grown.Follow(t.Context(), rows))
		if rows%8 != 0 {
			continue
		}
		then, cut := exchange.NewTable(past), whole.At(past, rows+1)
		require.NoError(t, then.Follow(t.Context(), rows))
		require.Equal(t, fmt.Sprint(then.Links), fmt.Sprint(cut.Links), "at row %d", rows)
	}
	require.Equal(t, fmt.Sprint(whole.Links), fmt.Sprint(grown.Links))
}

// TestShadow compares the Follower with the reader that it replaces, and with rules and
// causes, over all recordings of the tests and over fuzzed logs. Each difference has to be
// explained, and each explanation used.
func TestShadow(t *testing.T) {
	used := map[int]bool{}
	add := func(rows map[int]bool) {
		for row := range rows {
			used[row] = true
		}
	}
	var paths []string
	for _, pattern := range []string{"../../*/testdata", "../../*/*/testdata", "../../*/*/*/testdata"} {
		for _, sub := range []string{"*.jsonl", "*/*.jsonl"} {
			found, err := filepath.Glob(filepath.Join(pattern, sub))
			require.NoError(t, err)
			paths = append(paths, found...)
		}
	}
	read := 0
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		copied := filepath.Join(t.TempDir(), "copy.jsonl")
		require.NoError(t, os.WriteFile(copied, data, 0o600))
		r, err := recordings.Open(copied)
		if err != nil {
			continue // a file of another kind
		}
		read++
		t.Log(path)
		add(compare(t, r, r))
		judged(t, r)
		tabled(t, r)
		require.NoError(t, r.Close())
	}
	require.Greater(t, read, 100)
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 24))
		lines := fuzzed(r)
		if !t.Run(fmt.Sprint("fuzzed ", seed), func(t *testing.T) {
			defer func() {
				if t.Failed() {
					t.Log("\n" + strings.Join(lines, "\n"))
				}
			}()
			plain := slices.Clone(lines)
			for i := range plain {
				plain[i] = strings.ReplaceAll(plain[i], escaped, "a")
			}
			src := rectest.Session(t, lines...)
			add(compare(t, rectest.Session(t, plain...), src))
			judged(t, src)
			tabled(t, src)
		}) {
			break
		}
	}
	for _, e := range expected {
		require.True(t, used[e.row], "no log needs row %d", e.row)
	}
}
