package redact

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/recordings"
	"mcpdbg/session"
)

// record starts a recording of a server whose streams come in chunks.
type recorder struct {
	t      testing.TB
	f      *recordings.File
	seq    uint64
	sums   sums
	stdout framing.Splitter
}

func record(t testing.TB) *recorder {
	f, err := recordings.Create(recordings.Options{Path: filepath.Join(t.TempDir(), "in.jsonl"),
		Header: session.Header{Placement: "local", Argv: []string{"server", "--api-key", "argument-1", "--mode=fast"}, Cwd: "/home/ada/work"}})
	require.NoError(t, err)
	r := &recorder{t: t, f: f, sums: newSums()}
	r.event(session.KindStart, 0, session.StartBody{Process: "mcp-stdio-1"})
	return r
}

func (r *recorder) event(kind session.Kind, seq uint64, body any) {
	require.NoError(r.t, r.f.Append([]session.Entry{session.NewEntry(kind, seq, body)}))
}

func (r *recorder) append(e session.Entry) {
	r.sums[e.Kind].add(nil, e.Payload, e.EOL, nil)
	if e.Kind != session.KindStderr && !e.More {
		e.Msg = framing.Scan(e.Payload)
	}
	require.NoError(r.t, r.f.Append([]session.Entry{e}))
}

func (r *recorder) in(text string) {
	eol := framing.LF
	if !strings.HasSuffix(text, "\n") {
		eol = framing.NoEOL
	}
	r.append(session.Entry{Kind: session.KindStdin, Payload: []byte(strings.TrimSuffix(text, "\n")), EOL: eol})
}

// out adds stdout in chunks of size bytes.
func (r *recorder) out(text string, size int) {
	for len(text) > 0 {
		n := min(size, len(text))
		r.seq++
		for l := range r.stdout.Push(r.seq, []byte(text[:n])) {
			r.append(session.Entry{Kind: session.KindStdout, Seq: l.Seq, First: l.First, Cuts: l.Cuts, Payload: l.Data, EOL: l.EOL, More: l.More})
		}
		text = text[n:]
	}
}

func (r *recorder) err(text string, more bool) {
	r.seq++
	e := session.Entry{Kind: session.KindStderr, Seq: r.seq, Payload: []byte(text), More: more}
	if more {
		e.EOL = framing.NoEOL
	}
	r.append(e)
}

// close ends the process and returns the path.
func (r *recorder) close() string {
	var body session.ClosedBody
	for kind, to := range map[session.Kind]*session.Sums{
		session.KindStdin: &body.Stdin, session.KindStdout: &body.Stdout, session.KindStderr: &body.Stderr,
	} {
		*to = r.sums[kind].was.Sums()
	}
	r.seq++
	r.event(session.KindExited, r.seq, session.ExitedBody{})
	r.seq++
	r.event(session.KindClosed, r.seq, body)
	require.NoError(r.t, r.f.Close())
	path := r.f.Path()
	require.NoError(r.t, r.f.Release())
	return path
}

// redacted makes the copy and verifies it.
func redacted(t testing.TB, path string, rules Rules) (string, *Report) {
	t.Helper()
	to := filepath.Join(t.TempDir(), "out.jsonl")
	out, err := os.OpenFile(to, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	require.NoError(t, err)
	report, err := Copy(t.Context(), path, out, rules)
	require.NoError(t, err)
	require.NoError(t, out.Close())
	verified, err := recordings.Verify(to)
	require.NoError(t, err)
	require.Empty(t, verified.Problems)
	original, err := recordings.Verify(path)
	require.NoError(t, err)
	require.Equal(t, original.Whole, verified.Whole)
	data, err := os.ReadFile(to)
	require.NoError(t, err)
	return string(data), report
}

func TestRules(t *testing.T) {
	const pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----"
	quoted := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	for _, c := range []struct {
		name   string
		rules  Rules
		in     string // a line of stdout
		gone   string
		stays  string
		amount int
	}{
		{"a member by name", Default(), `{"method":"x","params":{"Api-Key":"hunter2","a":"hunter1"}}`, "hunter2", `"a":"hunter1"`, 1},
		{"a name in camel case", Default(), `{"method":"x","params":{"accessToken":"hunter2"}}`, "hunter2", "accessToken", 1},
		{"a key in camel case", Rules{Keys: []string{"dbPin"}}, `{"method":"x","params":{"db_pin":"hunter2","DB-PIN":"hunter2","dbpin":"hunter2"}}`, "hunter2", "db_pin", 3},
		{"a name with a star", Default(), `{"method":"x","params":{"DB_PASSWORD":"hunter2"}}`, "hunter2", "DB_PASSWORD", 1},
		{"all leaves below a name", Default(), `{"method":"x","params":{"credentials":{"user":"hunter2","n":[1.5,true,null]}}}`, "hunter2", `"n":[0.0,true,null]`, 2},
		{"not a key: progressToken", Default(), `{"method":"x","params":{"progressToken":"abc","maxTokens":5}}`, "", `"abc","maxTokens":5`, 0},
		{"a schema is not a value", Default(), `{"id":1,"result":{"tools":[{"inputSchema":{"properties":{"password":{"type":"string","default":"hunter2"}}}}]}}`, "hunter2", `"type":"string"`, 1},
		{"JSON in a string", Default(), `{"id":1,"result":{"text":"{\"password\":\"hunter2\", \"b\":\"\\u00e9\\/\"}"}}`, "hunter2", `, \"b\":\"\\u00e9\\/\"}"}}`, 1},
		{"escapes", Rules{Values: []Value{{"env X", "sésame/open"}}}, `{"id":1,"result":"\u0041 s\u00e9same\/\u006fpen \/ \u0041"}`, "pen ", `"\u0041 [redacted:`, 1},
		{"a value in a name", Rules{Values: []Value{{"env X", "sesame"}}}, `{"id":1,"result":{"sesame":1}}`, "sesame", `:1}}`, 1},
		{"a number that is a value", Rules{Values: []Value{{"env X", "123456"}}}, `{"id":1,"result":[123456,12345]}`, "123456", `[0,12345]`, 1},
		{"an encoded value", Rules{Values: []Value{{"env X", "a b/c"}}}, `{"id":1,"result":"http://x/?k=a+b%2Fc"}`, "a+b%2Fc", `k=[redacted:`, 1},
		{"a pointer", Rules{Pointers: []string{"/params/arguments/*"}}, `{"method":"x","params":{"arguments":{"a":1,"b":true,"c":["d",null]},"e":1}}`, `"d"`, `{"a":0,"b":false,"c":["[redacted:`, 3},
		{"members that identify a message", Rules{Pointers: []string{"/*"}}, `{"jsonrpc":"2.0","id":1,"result":{"isError":true,"a":true}}`, `"a":true`, `"jsonrpc":"2.0","id":`, 2},
		{"a pointer of another method", Rules{Pointers: []string{"tools/*:/params"}}, `{"method":"x","params":{"a":"b"}}`, "", `{"a":"b"}`, 0},
		{"a batch", Rules{Pointers: []string{"/params/a"}}, `[{"method":"x","params":{"a":"hunter2"}},{"method":"y"}]`, "hunter2", `\"y\"`, 1},
		{"GitHub", Default(), `{"id":1,"result":"use ghp_` + strings.Repeat("aB1", 12) + `."}`, "ghp_", `"use [redacted:`, 1},
		{"AWS", Default(), `export AWS=AKIAIOSFODNN7EXAMPLE ok`, "AKIAIOSFODNN7EXAMPLE", "AWS=[redacted:", 1},
		{"Bearer", Default(), `> Accept: Bearer abcdefghijklmnop0123`, "abcdefghijklmnop0123", "Bearer [redacted:", 1},
		{"an address with a password", Default(), `{"id":1,"result":"postgres://ada:hunter2@db:5432/x"}`, "hunter2", `postgres://ada:[redacted:`, 1},
		{"a JWT", Default(), `{"id":1,"result":"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl"}`, "eyJ", `"result":"[redacted:`, 1},
		{"a private key", Default(), `{"id":1,"result":` + quoted("a\n"+pem+"\nb") + `}`, "MIIE", `"a\n[redacted:`, 1},
		{"sk-", Default(), `{"id":1,"result":"sk-ant-api03-abcdefghijklmnopqrstuvwxyz, not task-abcdefghijklmnopqrstuvwxyz"}`, "sk-ant", "task-abcdefghijklmnopqrstuvwxyz", 1},
		{"name=value", Default(), `DEBUG connecting with api_key=hunter2&x=1`, "hunter2", "&x=1", 1},
		{"a header", Default(), `< Set-Cookie: sid=1; path=/`, "sid", "< Set-Cookie: [redacted:", 1},
		{"half a message", Default(), `{"id":1,"result":{"password":"hunter2`, "hunter2", `"id\":1`, 1},
		{"neither JSON nor UTF-8", Default(), "\xff password=hunter2 \xfe", "hunter2", "", 1},
		{"a folder", Rules{Home: true}, `{"id":1,"result":["/home/ada/x","C:\\Users\\ada\\x","/home"]}`, "ada/x", `["~/x","~\\x","/home"]`, 2},
		{"prose", Default(), `Unexpected token: something; the password is wrong`, "", "Unexpected token: something; the password is wrong", 0},
		{"a custom pattern", Rules{Patterns: []Pattern{{Name: "p", Expr: `n°(\d+)`}}}, `{"id":1,"result":"n\u00b04711"}`, "4711", `n\u00b0[redacted:`, 1},
		{"already redacted", Default(), `{"method":"x","params":{"password":"[redacted:abcdefgh]"}}`, "", "[redacted:abcdefgh]", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := record(t)
			r.out(c.in+"\n", 7)
			c.rules.Keys = append(c.rules.Keys, "nothing-else")
			text, report := redacted(t, r.close(), c.rules)
			_, entries, _ := strings.Cut(text, "\n")
			if c.gone != "" {
				require.NotContains(t, entries, c.gone)
			}
			require.Contains(t, entries, c.stays)
			n := 0
			for _, item := range report.Items {
				if !strings.HasPrefix(item.Place, "header") {
					n += item.Count
				}
			}
			require.Equal(t, c.amount, n, "%+v", report.Items)
		})
	}
}

func TestTheHeader(t *testing.T) {
	r := record(t)
	rules := Default()
	rules.Home = true
	text, report := redacted(t, r.close(), rules)
	line, _, _ := strings.Cut(text, "\n")
	require.Regexp(t, `"argv":\["server","--api-key","\[redacted:\w{8}\]","--mode=fast"\],"cwd":"~/work"`, line)
	require.Regexp(t, `,"redacted":\{"home":1,"keys":1\} *\}$`, line)
	require.Equal(t, 2, report.Removed)
	key := strings.Split(line, `"`)
	i := slices.Index(key, "--api-key")
	require.Equal(t, "see api_key="+key[i+2], report.Text("see api_key=argument-1"))
}

// A copy of a changed recording does not pass as an unchanged one.
func TestWrongSumsOfTheWholeStayWrong(t *testing.T) {
	r := record(t)
	r.err("password=hunter2", false)
	data, err := os.ReadFile(r.close())
	require.NoError(t, err)
	path, to := filepath.Join(t.TempDir(), "changed.jsonl"), filepath.Join(t.TempDir(), "out.jsonl")
	changed := strings.Replace(string(data), `"argv":[`, `"argv":["other",`, 1)
	require.NotEqual(t, string(data), changed)
	require.NoError(t, os.WriteFile(path, []byte(changed), 0o600))
	out, err := os.Create(to)
	require.NoError(t, err)
	_, err = Copy(t.Context(), path, out, Default())
	require.NoError(t, err)
	require.NoError(t, out.Close())
	verified, err := recordings.Verify(to)
	require.NoError(t, err)
	require.Len(t, verified.Problems, 1)
	require.False(t, verified.Whole)
}

func TestRedactTwice(t *testing.T) {
	r := record(t)
	r.err("password=hunter2", false)
	path := r.close()
	text, _ := redacted(t, path, Default())
	again := filepath.Join(t.TempDir(), "again.jsonl")
	require.NoError(t, os.WriteFile(again, []byte(text), 0o600))
	same, report := redacted(t, again, Default())
	_, want, _ := strings.Cut(text, "\n")
	_, got, _ := strings.Cut(same, "\n")
	whole := regexp.MustCompile(`"whole":.*`) // includes the header
	require.Equal(t, whole.ReplaceAllString(want, ""), whole.ReplaceAllString(got, ""))
	require.Zero(t, report.Removed)
	require.Contains(t, same, `"redacted":{"keys":2}`)
}

// TestPairs checks that requests and responses stay paired when ids are replaced.
func TestPairs(t *testing.T) {
	for _, rules := range []Rules{
		{Values: []Value{{"env ID", "sesame"}}}, {Values: []Value{{"env ID", "7777"}, {"env SHORT", "8888"}}}, {Pointers: []string{"/id"}}, {Pointers: []string{"x:/params/requestId"}},
		{Keys: []string{"id", "progressToken"}}, {Pointers: []string{"/params"}},
	} {
		r := record(t)
		ids := []string{`"sesame"`, `7`, `"7"`, `7.5`, `7777`, `8888`}
		for _, id := range ids {
			r.in(`{"id":` + id + `,"method":"a","params":{"_meta":{"progressToken":` + id + `}}}` + "\n")
		}
		for _, id := range ids {
			r.out(`{"method":"notifications/progress","params":{"progressToken":`+id+`}}`+"\n", 100)
			r.out(`{"id":`+id+`,"result":1}`+"\n", 100)
		}
		path := r.close()
		text, _ := redacted(t, path, rules)
		to := filepath.Join(t.TempDir(), "copy")
		require.NoError(t, os.WriteFile(to, []byte(text), 0o600))
		want, got := pairs(t, path), pairs(t, to)
		require.Equal(t, want, got, "%+v", rules)
		var a, b struct {
			M struct {
				Params struct {
					Token json.RawMessage            `json:"progressToken"`
					Meta  map[string]json.RawMessage `json:"_meta"`
				}
			}
		}
		lines := strings.Split(text, "\n")
		require.NoError(t, json.Unmarshal([]byte(lines[2]), &a))
		require.NoError(t, json.Unmarshal([]byte(lines[8]), &b))
		require.Equal(t, string(a.M.Params.Meta["progressToken"]), string(b.M.Params.Token))
	}
}

func pairs(t *testing.T, path string) (all []uint32) {
	rec, err := recordings.Open(path)
	require.NoError(t, err)
	defer rec.Close()
	rows := make([]session.Row, rec.Len())
	rec.Rows(0, rows)
	for _, row := range rows {
		all = append(all, row.Related)
	}
	return all
}

// TestOverParts checks that a secret is found wherever its line was cut.
func TestOverParts(t *testing.T) {
	const secret = "sesame-open-42"
	for at := 1; at < 27; at++ {
		r := record(t)
		text := `{"id":1,"method":"a","params":"` + secret + `"}`
		r.in(text[:20+at])
		r.err("a "+secret[:at%len(secret)], true)
		r.event(session.KindWaiting, 0, session.WaitingBody{Stream: "stdout", Bytes: at, Head: text[:20+at]})
		r.in(text[20+at:] + "\n")
		r.out(text+"\n", at)
		r.err(secret[at%len(secret):]+" b", false)
		out, report := redacted(t, r.close(), Rules{Values: []Value{{"env S", secret}}})
		require.NotContains(t, out, secret[:6], "at %d:\n%s", at, out)
		require.NotContains(t, out, secret[6:], "at %d:\n%s", at, out)
		require.Zero(t, report.Heads)
	}
}

// TestOverlap checks that nothing remains of two overlapping secrets.
func TestOverlap(t *testing.T) {
	r := record(t)
	r.err("x abcdefghijkl y", false)
	out, report := redacted(t, r.close(), Rules{Values: []Value{{"env A", "abcdefgh"}, {"env B", "efghijkl"}}})
	require.Regexp(t, `"raw":"x \[redacted:\w{8}\] y"`, out)
	require.Equal(t, 1, report.Removed)
}

// TestWrites checks that the size of a partial write is updated.
func TestWrites(t *testing.T) {
	r := record(t)
	r.in(`{"method":"a","params":"sesame-open"}` + "\n")
	r.event(session.KindWrite, 0, session.WriteBody{Of: 2, Status: "failed", Bytes: 38})
	r.in("sesame-open x") // the end of that line, and not a line
	r.event(session.KindWrite, 0, session.WriteBody{Of: 4, Status: "failed", Bytes: 11})
	out, _ := redacted(t, r.close(), Rules{Values: []Value{{"env A", "sesame-open"}}})
	require.Contains(t, out, `"of":2,"status":"failed","bytes":46`)
	require.Contains(t, out, `"of":4,"status":"failed","bytes":19`)
}

// TestClientsSide: what only the client of a tap sent or got is searched like the rest.
func TestClientsSide(t *testing.T) {
	r := record(t)
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"api_key":"sk-live-0123456789abcdef"}}}` + "\n",
		`text with api_key=sk-live-0123456789abcdef` + "\n",
		"\xff api_key=sk-live-0123456789abcdef\n",
	} {
		require.NoError(t, r.f.Append([]session.Entry{session.ClientEntry(session.KindFromClient, "held", 0, 0, []byte(line))}))
	}
	text, report := redacted(t, r.close(), Default())
	require.NotContains(t, text, "0123456789abcdef")
	require.NotContains(t, text, base64.StdEncoding.EncodeToString([]byte("\xff api_key=sk-live-0123456789abcdef\n")))
	require.NotZero(t, report.Changed)
}

func TestMultiLineKey(t *testing.T) {
	r := record(t)
	for _, line := range []string{"before", "-----BEGIN PRIVATE KEY-----", "AAAABBBBCCCC", "-----END PRIVATE KEY-----", "after"} {
		r.err(line, false)
	}
	out, _ := redacted(t, r.close(), Default())
	require.NotContains(t, out, "AAAABBBBCCCC")
	require.Contains(t, out, "before")
	require.Contains(t, out, "after")
}

func TestMethodsOfResponses(t *testing.T) {
	r := record(t)
	r.in(`{"id":1,"method":"tools/call"}` + "\n")
	r.in(`{"id":2,"meth`)
	r.in(`od":"tools/list"}` + "\n")
	r.out(`{"id":2,"result":"list"}`+"\n", 100)
	r.out(`{"id":1,"result":"call"}`+"\n", 100)
	out, report := redacted(t, r.close(), Rules{Pointers: []string{"tools/list:/result"}})
	require.NotContains(t, out, `"list"`)
	require.Contains(t, out, `"call"`)
	require.Equal(t, []Item{{"pointer tools/list:/result", "tools/list:/result", 1}}, report.Items)
}

func TestWrongSumsStayWrong(t *testing.T) {
	r := record(t)
	r.err("password=hunter2", false)
	right := r.sums[session.KindStderr].was.Sums()
	data, err := os.ReadFile(r.close())
	require.NoError(t, err)
	for name, wrong := range map[string]session.Sums{
		"bytes": {Bytes: right.Bytes + 1, XXH64: right.XXH64, CRC32: right.CRC32},
		"xxh64": {Bytes: right.Bytes, XXH64: "0123456789abcdef", CRC32: right.CRC32},
		"crc32": {Bytes: right.Bytes, XXH64: right.XXH64, CRC32: "01234567"},
	} {
		t.Run(name, func(t *testing.T) {
			before, _ := json.Marshal(right)
			after, _ := json.Marshal(wrong)
			changed := bytes.Replace(data, before, after, 1)
			require.NotEqual(t, data, changed)
			from, to := filepath.Join(t.TempDir(), "in"), filepath.Join(t.TempDir(), "out")
			require.NoError(t, os.WriteFile(from, changed, 0o600))
			out, err := os.Create(to)
			require.NoError(t, err)
			defer out.Close()
			_, err = Copy(t.Context(), from, out, Default())
			require.NoError(t, err)
			report, err := recordings.Verify(to)
			require.NoError(t, err)
			require.NotEmpty(t, report.Problems)
			copied, err := os.ReadFile(to)
			require.NoError(t, err)
			for _, sum := range []string{right.XXH64, right.CRC32, wrong.XXH64, wrong.CRC32} {
				require.NotContains(t, string(copied), sum)
			}
		})
	}
}

func TestInvalidRules(t *testing.T) {
	for name, rules := range map[string]Rules{
		"too short":            {Values: []Value{{"env X", "abc"}}},
		"starts with /":        {Pointers: []string{"params/x"}},
		"missing closing":      {Patterns: []Pattern{{Name: "p", Expr: "(a"}}},
		"the empty string":     {Patterns: []Pattern{{Name: "p", Expr: "a*"}}},
		"has no letters":       {Keys: []string{"_"}},
		"only * is a wildcard": {Keys: []string{"a[bc]*"}},
	} {
		_, err := Copy(t.Context(), record(t).close(), nil, rules)
		var wrong *RuleError
		require.ErrorAs(t, err, &wrong)
		require.ErrorContains(t, err, name)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Copy(ctx, record(t).close(), nil, Default())
	require.ErrorIs(t, err, context.Canceled)
}

// TestNothingToRemove checks that recordings without secrets do not change, except for
// the padding of their header.
func TestNothingToRemove(t *testing.T) {
	for _, name := range []string{"v1-session", "v1-ssh"} {
		data, err := os.ReadFile("../testdata/" + name + ".jsonl")
		require.NoError(t, err)
		to, err := os.Create(filepath.Join(t.TempDir(), name))
		require.NoError(t, err)
		defer to.Close()
		_, err = Copy(t.Context(), "../testdata/"+name+".jsonl", to, Default())
		require.NoError(t, err)
		got, err := os.ReadFile(to.Name())
		require.NoError(t, err)
		_, want, _ := bytes.Cut(data, []byte("\n"))
		_, rest, _ := bytes.Cut(got, []byte("\n"))
		require.Equal(t, string(want), string(rest))
	}
}

// TestNoSecretStays checks that random secrets at random places are removed, and all
// bytes around them stay.
func TestNoSecretStays(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	alphabet := []rune("abcXYZ0189_-+/=\"\\ é€😀\u2028<>&'\t")
	for round := range 20 {
		var values []Value
		for i := range 1 + rng.IntN(4) {
			text := []rune("S3")
			for range 6 + rng.IntN(20) {
				text = append(text, alphabet[rng.IntN(len(alphabet))])
			}
			values = append(values, Value{fmt.Sprintf("env V%d", i), string(text) + "zQ"})
		}
		secret := func() string { return values[rng.IntN(len(values))].Text }
		r := record(t)
		for range 20 {
			filler := strings.Repeat("x", rng.IntN(30))
			text := filler + secret() + filler
			switch rng.IntN(5) {
			case 0:
				r.err(text, false)
			case 1:
				cut := rng.IntN(len(text))
				r.err(text[:cut], true)
				r.out(message(rng, filler)+"\n", 50)
				r.err(text[cut:], false)
			case 2:
				r.in(message(rng, text) + "\n")
			case 3:
				r.in(message(rng, text) + "\n" + message(rng, secret()) + "\n")
			default:
				r.out(message(rng, text)+"\n", 1+rng.IntN(40))
			}
		}
		path := r.close()
		out, _ := redacted(t, path, Rules{Values: values})
		plain := everyForm(t, out)
		for _, v := range values {
			require.NotContains(t, plain, v.Text, "round %d", round)
		}
		require.Equal(t, blanked(everyForm(t, read(t, path)), values), blanked(plain, values), "round %d", round)
	}
}

// message returns a message with text in one of its JSON forms.
func message(rng *rand.Rand, text string) string {
	quote := func(s string) string {
		var b strings.Builder
		for _, r := range s {
			q, _ := json.Marshal(string(r))
			switch {
			case rng.IntN(4) == 0 && r < 0x10000:
				fmt.Fprintf(&b, `\u%04x`, r)
			case r == '/' && rng.IntN(2) == 0:
				b.WriteString(`\/`)
			default:
				b.Write(q[1 : len(q)-1])
			}
		}
		return `"` + b.String() + `"`
	}
	inner := text
	for range rng.IntN(3) {
		inner = `{"a":[1,` + quote(inner) + `]}`
	}
	return `{"jsonrpc":"2.0","method":"m","params":{"b":` + quote(inner) + `,` + quote(text) + `:1.10}}`
}

// everyForm returns all text of a recording, with all levels of escapes resolved.
func everyForm(t *testing.T, file string) string {
	streams := map[session.Kind]*strings.Builder{session.KindStdin: {}, session.KindStdout: {}, session.KindStderr: {}}
	_, entries, _ := strings.Cut(file, "\n")
	for line := range strings.Lines(entries) {
		e, err := recordings.Decode([]byte(line))
		require.NoError(t, err)
		if e.Kind.IsStream() {
			streams[e.Kind].Write(e.Payload)
			streams[e.Kind].WriteString(e.EOL.String())
		}
	}
	text := []byte(streams[session.KindStdin].String() + streams[session.KindStdout].String() + streams[session.KindStderr].String())
	for range 4 {
		text = unquoted(nil, text)
	}
	return string(text)
}

// blanked replaces both secrets and their replacements with the same text.
func blanked(text string, values []Value) string {
	for _, v := range values {
		form := []byte(v.Text)
		for range 5 {
			text = strings.ReplaceAll(text, string(form), "#")
			form = unquoted(nil, form)
		}
	}
	for {
		before, rest, ok := strings.Cut(text, Mark)
		if !ok {
			return text
		}
		text = before + "#" + rest[len("xxxxxxxx]"):]
	}
}

func read(t *testing.T, path string) string {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

func TestDetectorFindsLoginsInURLs(t *testing.T) {
	for text, want := range map[string]string{
		"mcp-stdio://server/tools/call/a@b":                       "",
		"see https://a.test/x, https://user:pass1234word@b.test/": "url-password",
		"https://0123456789abcdefghijkl@b.test/":                  "url-token",
	} {
		d := NewDetector()
		_, err := d.Write([]byte(text))
		require.NoError(t, err)
		require.Equal(t, want, d.Found(), text)
	}
}
