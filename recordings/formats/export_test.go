package formats

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/recordings"
	"mcpdbg/session"
)

var update = flag.Bool("update", false, "write the golden files")

var formats = map[string]func(context.Context, *bytes.Buffer, Selection) error{
	"jsonl": func(ctx context.Context, b *bytes.Buffer, s Selection) error { return writeJSONL(ctx, b, s) },
	"md":    func(ctx context.Context, b *bytes.Buffer, s Selection) error { return writeMarkdown(ctx, b, s) },
	"html":  func(ctx context.Context, b *bytes.Buffer, s Selection) error { return writeHTML(ctx, b, s) },
	"har":   func(ctx context.Context, b *bytes.Buffer, s Selection) error { return writeHAR(ctx, b, s) },
	"txtar": func(ctx context.Context, b *bytes.Buffer, s Selection) error { return writeTxtar(ctx, b, s) },
}

func write(t testing.TB, format string, s Selection) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, formats[format](t.Context(), &b, s))
	return b.String()
}

func open(t testing.TB, path string) Selection {
	rec, err := recordings.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rec.Close()) })
	return Selection{Source: rec}
}

// recorded returns a recording of a request and lines of stdout.
func recorded(t testing.TB, lines ...string) Selection {
	f, err := recordings.Create(recordings.Options{Path: filepath.Join(t.TempDir(), "rec.jsonl")})
	require.NoError(t, err)
	add := func(kind session.Kind, seq int, text string) {
		e := session.Entry{Kind: kind, Seq: uint64(seq), Payload: []byte(text)}
		if kind != session.KindStderr {
			e.Msg = framing.Scan(e.Payload)
		}
		require.NoError(t, f.Append([]session.Entry{e}))
	}
	require.NoError(t, f.Append([]session.Entry{session.NewEntry(session.KindStart, 0, session.StartBody{Process: "p"})}))
	add(session.KindStdin, 0, `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`)
	for i, line := range lines {
		add(session.KindStdout, 2*i+1, line)
		add(session.KindStderr, 2*i+2, line)
	}
	require.NoError(t, f.Close())
	t.Cleanup(func() { require.NoError(t, f.Release()) })
	return open(t, f.Path())
}

// TestGolden checks each format, except for the script and style of the page.
func TestGolden(t *testing.T) {
	for format := range formats {
		t.Run(format, func(t *testing.T) {
			got := write(t, format, open(t, "../testdata/v1-session.jsonl"))
			if format == "html" {
				got = data(t, got)
			}
			path := "testdata/session." + format
			if *update {
				require.NoError(t, os.MkdirAll("testdata", 0o755))
				require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(want), got)
		})
	}
}

// hostile lists texts that try to break out of their context.
var hostile = []string{
	`</script><script>alert(1)</script><!-- --> ]]>`,
	`{"jsonrpc":"2.0","id":1,"result":"</SCRIPT><img src=x onerror=alert(1)>\u2028\u2029` + "\u2028" + `"}`,
	"```\n# heading\n```", "`````", "| a | b |", "@somebody #4711 https://example.com <b>x</b> **bold** [a](b)",
	"\x1b]0;title\x07\x1b[2J", "user\u202egnp.exe\u200b", "-- file --", "\xff\xfe\x00", "{{script}}{{data}}%s%d",
}

func TestHostileContent(t *testing.T) {
	s := recorded(t, hostile...)
	page := write(t, "html", s)
	require.Equal(t, 2, strings.Count(strings.ToLower(page), "</script>"), "the data and the script end, and nothing else")
	require.NotContains(t, page, "<!--")
	require.Equal(t, 1, strings.Count(page, "'use strict';"))
	var embedded struct{ Rows []pageRow }
	require.NoError(t, json.Unmarshal([]byte(data(t, page)), &embedded))
	seen := map[string]bool{}
	for _, r := range embedded.Rows {
		text := r.Text
		if r.Base64 != "" {
			b, err := base64.StdEncoding.DecodeString(r.Base64)
			require.NoError(t, err)
			text = string(b)
		}
		seen[text] = true
	}
	for _, text := range hostile {
		require.True(t, seen[text], "%q", text)
	}

	report := write(t, "md", s)
	for _, bad := range []string{"\x1b", "\u202e", "\u200b", "\u2028", "\x07"} {
		require.NotContains(t, report, bad)
	}
	outside := outsideFences(t, report)
	for _, bad := range []string{"<b>", "<script", "<img", "@somebody", "#4711", "https://", "**bold**", "](b)", "| a |", "```"} {
		require.NotContains(t, outside, bad)
	}
}

// outsideFences returns a report without its code blocks.
func outsideFences(t *testing.T, report string) string {
	var b strings.Builder
	fence := ""
	opened := regexp.MustCompile("^`{3,}(json)?$")
	for line := range strings.Lines(report) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case fence == "" && opened.MatchString(line):
			fence = strings.TrimSuffix(line, "json")
		case fence != "" && strings.Trim(line, "`") == "" && len(line) >= len(fence): // as CommonMark has it
			fence = ""
		case fence == "":
			b.WriteString(line + "\n")
		}
	}
	require.Empty(t, fence)
	return b.String()
}

// TestNothingIsLost checks that jsonl and txtar have all lines of the streams.
func TestNothingIsLost(t *testing.T) {
	s := recorded(t, hostile...)
	var fromJSONL, fromTxtar []string
	for line := range strings.Lines(write(t, "jsonl", s)) {
		var l struct {
			Dir     string
			Message json.RawMessage
			Text    *string
			Base64  []byte
		}
		require.NoError(t, json.Unmarshal([]byte(line), &l), line)
		text := string(l.Message)
		switch {
		case l.Text != nil:
			text = *l.Text
		case l.Base64 != nil:
			text = string(l.Base64)
		}
		fromJSONL = append(fromJSONL, l.Dir+" "+text)
	}
	archive := regexp.MustCompile(`(?m)^-- (\S+) --\n`)
	text := write(t, "txtar", s)
	at := archive.FindAllStringSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		name, body := text[m[2]:m[3]], strings.TrimSuffix(text[m[1]:end], "\n")
		if name == "header.json" {
			require.True(t, json.Valid([]byte(body)))
			continue
		}
		if strings.HasSuffix(name, ".b64") {
			b, err := base64.StdEncoding.DecodeString(body)
			require.NoError(t, err)
			body = string(b)
		}
		parts := strings.Split(strings.TrimSuffix(name, filepath.Ext(name)), "-")
		fromTxtar = append(fromTxtar, parts[2]+" "+body)
	}
	var want []string
	want = append(want, `out {"jsonrpc":"2.0","id":1,"method":"tools/call"}`)
	for _, line := range hostile {
		want = append(want, "in "+line, "err "+line)
	}
	require.Equal(t, want, fromJSONL)
	require.Equal(t, want, fromTxtar)
}

// TestHAR checks the requirements of HAR 1.2.
func TestHAR(t *testing.T) {
	var har struct {
		Log map[string]json.RawMessage
	}
	require.NoError(t, json.Unmarshal([]byte(write(t, "har", open(t, "../testdata/v1-session.jsonl"))), &har))
	require.Equal(t, `"1.2"`, string(har.Log["version"]))
	needs(t, har.Log["creator"], "name", "version")
	var entries []map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(har.Log["entries"], &entries))
	require.Len(t, entries, 9)
	for _, e := range entries {
		whole, err := json.Marshal(e)
		require.NoError(t, err)
		needs(t, whole, "startedDateTime", "time", "request", "response", "cache", "timings")
		needs(t, e["request"], "method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize")
		needs(t, e["response"], "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize", "bodySize")
		needs(t, e["timings"], "send", "wait", "receive")
		var response map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(e["response"], &response))
		needs(t, response["content"], "size", "mimeType")
	}
}

func needs(t *testing.T, object json.RawMessage, members ...string) {
	t.Helper()
	var m map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(object, &m))
	for _, name := range members {
		require.Contains(t, m, name)
		require.NotEqual(t, "null", string(m[name]), name)
	}
}

func TestSelection(t *testing.T) {
	s := recorded(t, "one", "two", "three")
	s.Include = func(number int, row session.Row) bool { return row.Kind == session.KindStdout && number > 3 }
	for format := range formats {
		text := write(t, format, s)
		switch format {
		case "html":
			_, text, _ = strings.Cut(text, `"rows":[`) // the facts are of the whole
			text, _, _ = strings.Cut(text, "\n],")
		case "md":
			_, text, _ = strings.Cut(text, "### Calls and other entries")
		}
		require.NotContains(t, text, `one`+"\n", format)
		require.NotContains(t, text, `"one"`, format)
		if format != "har" {
			require.Contains(t, text, "two", format)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, writeJSONL(ctx, &bytes.Buffer{}, s), context.Canceled)
}

// TestBounds checks that a report does not grow with the recording, and states what it
// omits.
func TestBounds(t *testing.T) {
	var lines []string
	for i := range 400 {
		size := 10
		if i < 68 {
			size = 10_000
		}
		lines = append(lines, `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"`+strings.Repeat("x", size)+`"}}`)
	}
	s := recorded(t, lines...)
	report := write(t, "md", s)
	require.Less(t, len(report), maxMarkdown/4, "a whole session has few other rows")
	require.NotContains(t, report, "| command |", "it is unknown")
	s.Include = func(int, session.Row) bool { return true }
	report = write(t, "md", s)
	require.Less(t, len(report), maxMarkdown+1000)
	require.Regexp(t, `The report omits \d+ more rows`, report)
	require.Regexp(t, `The content of \d+ more entries is omitted`, report)
	require.Contains(t, report, "more bytes are omitted")
}
