package recordings

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
)

// sentences are the rules of the format page that Verify checks,
// each with entries that violate it. In entries @ is replaced by the number and the time
// of the entry, which follows a start.
var sentences = []struct {
	sentence string // quoted from the page
	entries  string
	says     string // the problem of the last entry, or part of it
}{
	{"JSONL: UTF-8", `{@,"k":"note","text":"` + "\xff" + `"}`, "entry 2: is not UTF-8"},
	{"one JSON object per line", `{@,"k":"note","text":"` + "\x01" + `"}`, "entry 1: the next line, at byte"},
	{"one JSON object per line", `{@,"k":"stdout","seq":01,"raw":""}`, "is not valid JSON"},
	{"one JSON object per line", `{@,"k":"end","entries":2,"entries":2}`, "has a duplicate member"},
	{"one JSON object per line", `[1]`, "entry 1: the next line, at byte"},
	{"Every entry begins with these members, in this order", `{"t":0,"n":2,"k":"note","text":"x"}`, "entry 2: does not begin with n, t and k"},
	{"Every entry begins with these members, in this order", `{@,"k":"exited","code":1,"seq":1}`, "entry 2: has seq after other members"},
	{"the number of the entry, strictly increasing", `{"n":1,"t":0,"k":"note","text":"x"}`, "entry 1: comes after entry 1"},
	{"an integer that never decreases", "{\"n\":2,\"t\":5,\"k\":\"note\",\"text\":\"x\"}\n{\"n\":3,\"t\":4,\"k\":\"note\",\"text\":\"x\"}", "entry 3: comes after entry 2, and its time 4 after 5"},
	{"microseconds of a monotonic clock since `start`", `{"n":2,"t":-1,"k":"note","text":"x"}`, "entry 2: has the time -1"},
	{"for output and for events of a process: the number of the event", `{@,"k":"stdout","raw":""}`, "entry 2: stdout entry without seq"},
	{"One `stdout` or `stderr` entry is one line, or one part of a line", `{@,"k":"stdout","seq":1,"raw":"a\nb"}`, "entry 2: holds more than one line"},
	{"The payload is the last member of the entry", `{@,"k":"stdout","seq":1,"raw":"","why":"x"}`, "entry 1: the next line"},
	{"they are one JSON object", `{@,"k":"stdout","seq":1,"m":{]}}`, "entry 1: the next line"},
	{"they are one JSON object", `{@,"k":"stdout","seq":1,"raw":"{\"id\":1}"}`, "entry 2: has its payload as raw instead of m"},
	{"at most 200 levels deep", `{@,"k":"stdout","seq":1,"m":{"a":` + strings.Repeat("[", 250) + strings.Repeat("]", 250) + `}}`, "entry 2: has its payload as m instead of raw"},
	{"without a lone surrogate", `{@,"k":"stdout","seq":1,"m":{"a":"\ud800"}}`, "entry 2: has its payload as m instead of raw"},
	{"without a lone surrogate", `{@,"k":"stdout","seq":1,"raw":"\ud83d\ude00 \uDC00"}`, "entry 2: has a raw with half of a surrogate pair"},
	{"with nothing before or after it", `{@,"k":"stdout","seq":1,"m": {"a":1}}`, "entry 2: has an m that is not between"},
	{"no byte below 0x20", `{@,"k":"stdout","seq":1,"m":{"a":` + "\t" + `1}}`, "entry 2: has its payload as m instead of raw"},
	{"not for parts", `{@,"k":"stdout","seq":1,"more":true,"eol":"","m":{"a":1}}`, "entry 2: is a part of a line, but its payload is m"},
	{"not for parts", `{@,"k":"stdout","seq":1,"more":true,"eol":"","raw":"x"}` + "\n" + `{@,"k":"stdout","seq":1,"m":{"a":1}}`, "entry 3: is a part of a line, but its payload is m"},
	{"for `stdin` only if it is one message and `\\n`", `{@,"k":"stdin","eol":"","m":{"a":1}}`, "entry 2: has its payload as m instead of raw"},
	{"otherwise, if they are valid UTF-8", `{@,"k":"stdout","seq":1,"b64":"eA=="}`, "entry 2: has its payload as b64 instead of raw"},
	{"a JSON string in base64 (RFC 4648, padded)", `{@,"k":"stdout","seq":1,"b64":"/w"}`, "entry 1: the next line"},
	{"the payload is everything between the first `,\"m\":` of the line and the last `}` of the line", `{@,"k":"stderr","seq":1,"x":[{"a":1,"m":2}],"m":{"a":1}}`, "entry 2: has an m that is not between"},
	{"the chunk of the line's first byte, if different", `{@,"k":"stdout","seq":1,"first":1,"raw":""}`, "entry 2: begins in chunk 1, but ends in chunk 1"},
	{"then also each later chunk and its offset", `{@,"k":"stdout","seq":2,"cuts":[[2,0]],"raw":""}`, "entry 2: has cuts but no first"},
	{"then also each later chunk and its offset", `{@,"k":"stdout","seq":3,"first":1,"cuts":[[2,0]],"raw":""}`, "entry 2: ends in chunk 3, but its last cut is chunk 2"},
	{"offsets count bytes of payload and line end from 0", `{@,"k":"stdout","seq":2,"first":1,"cuts":[[2,9]],"raw":""}`, "entry 2: has a cut at byte 9 of 1"},
	{"offsets count bytes of payload and line end from 0", `{@,"k":"stdout","seq":3,"first":1,"cuts":[[2,1],[3,0]],"raw":"ab"}`, "entry 2: has cuts out of order: chunk 3 at byte 0"},
	{"At most 4,096", `{@,"k":"stdout","seq":4099,"first":1,"cuts":[` + manyCuts(framing.MaxCuts+1) + `],"raw":"ab"}`, "has 4097 cuts; the limit is 4096"},
	{"how many more there were, and the range `[from,to]` of their numbers", `{@,"k":"stdout","seq":9,"first":1,"cuts":[[2,0]],"cuts_dropped":1,"cuts_range":[4,9],"raw":""}`, "entry 2: dropped the cuts of chunks 3 to 9, but cuts_range is [4,9]"},
	{"how many more there were, and the range `[from,to]` of their numbers", `{@,"k":"stdout","seq":9,"first":1,"cuts":[[2,0]],"cuts_dropped":1,"raw":""}`, "entry 2: has cuts_dropped or cuts_range missing"},
	{"`true`: the line continues in the next entry of the stream", `{@,"k":"stdout","seq":1,"more":false,"raw":""}`, "entry 2: has a more that is not true"},
	{"the line end, if it is not `\\n`", `{@,"k":"stdout","seq":1,"eol":"\n","raw":""}`, "entry 2: has an eol that is a single newline"},
	{"`\"more\":true,\"eol\":\"\"` on each but the last", `{@,"k":"stdout","seq":1,"more":true,"raw":"x"}`, "entry 2: is a part of a line, but has a line ending"},
	{"A line cut short by the end of the stream has `\"eol\":\"\"` and no `more`", `{@,"k":"stdout","seq":1,"eol":"","raw":"x"}` + "\n" + `{@,"k":"stdout","seq":1,"raw":"y"}`, "entry 3: comes after a line that the end of stdout cut short"},
	{"`process` its id", `{@,"k":"start","pid":1}`, "entry 2: start entry without process"},
	{"`phase`, `detail`?", `{@,"k":"phase"}`, "entry 2: phase entry without phase"},
	{"`policy`, `named`?", `{@,"k":"env","policy":1}`, "entry 2: env entry 2: policy is a number, not a string"},
	{"the write of entry `of` was not accepted completely", `{@,"k":"write","of":2,"status":"x","bytes":0}`, "entry 2: refers to entry 2, which is not before it"},
	{"`head`? the first 256 at most", `{@,"k":"waiting","stream":"stdout","bytes":300,"head":"` + strings.Repeat("x", 257) + `"}`, "entry 2: quotes more than 256 waiting bytes"},
	{"bytes have waited one second for their newline", `{@,"k":"waiting","stream":"stdin","bytes":300}`, "entry 2: waits on an unknown stream"},
	{"and its streams are at their end. This is the last event", `{@,"k":"failed","error":"x",` + noSums + `}` + "\n" + `{@,"k":"stdout","seq":1,"raw":""}`, "entry 3: comes after the last event of p"},
	{"pipes were not read from `begin` to `end`", `{@,"k":"held","begin":5,"end":4,"streams":[]}`, "entry 2: has an invalid hold from 5 to 4"},
	{"is lost: the numbers `from` to `to`", `{@,"k":"gap","from":5,"to":4,"bytes":1}`, "entry 2: has an invalid gap from 5 to 4"},
	{"the recorder finished", `{@,"k":"end","entries":2}` + "\n" + `{@,"k":"note","text":"x"}`, "entry 3: comes after the end"},
	{"`entries`: their number, including this one", `{@,"k":"end","entries":3}`, "entry 2: counts 3 entries, but there are 2"},
	{"`counts`? over the whole file", `{@,"k":"end","entries":2,"counts":{"out":1}}`, "entry 2: has the counts {Out:1 In:0 Errors:0 Stray:0 Stderr:0}, but they are {Out:0 "},
	{"`said` is output from the other side of a connection, at most 4 KiB", `{@,"k":"note","text":"x","said":"` + strings.Repeat("x", 5000) + `"}`, "entry 2: has a said of 5000 bytes"},
	{"The next entry is the `stdin` entry with the response", `{@,"k":"act","act":"answer","of":1}` + "\n" + `{@,"k":"note","text":"x"}`, "entry 3: is not the stdin entry that must follow"},
	{"in the `stdin` entry that follows directly", `{@,"k":"act","act":"again","of":1}` + "\n" + `{@,"k":"end","entries":3}`, "entry 3: is not the stdin entry that must follow"},
	{"in 16 hexadecimal digits", `{@,"k":"failed","error":"x","stdout":{"bytes":0,"xxh64":"0"},"stderr":{"bytes":0,"complete":false},"stdin":{"bytes":0,"complete":false}}`, "entry 2: has no hash of stdout with 16 hexadecimal digits"},
	{"in 8 hexadecimal digits", `{@,"k":"failed","error":"x","stdout":{"bytes":0,"xxh64":"ef46db3751d8e999","crc32":"0"},"stderr":{"bytes":0,"complete":false},"stdin":{"bytes":0,"complete":false}}`, "entry 2: has a CRC-32 of stdout without 8 hexadecimal digits"},
	{"one sequence of numbers from 1", `{@,"k":"stdout","seq":2,"raw":""}`, "sequence numbers 1 to 1 of p are missing"},
	{"`failed` has none, nor has `stdin`", `{@,"k":"stdin","seq":1,"raw":""}`, "entry 2: stdin entry with a seq"},
	{"`failed` has none, nor has `stdin`", `{@,"k":"failed","seq":1,"error":"x",` + noSums + `}`, "entry 2: failed entry with a seq"},
}

const noSums = `"stdout":{"bytes":0,"complete":false},"stderr":{"bytes":0,"complete":false},"stdin":{"bytes":0,"complete":false}`

func manyCuts(n int) string {
	var cuts []string
	for i := range n {
		cuts = append(cuts, fmt.Sprintf("[%d,0]", i+2))
	}
	return strings.Join(cuts, ",")
}

// numbered replaces each @ by the next entry number, from 2 on.
func numbered(entries string) string {
	for n := 2; strings.Contains(entries, "{@"); n++ {
		entries = strings.Replace(entries, "{@", fmt.Sprintf(`{"n":%d,"t":0`, n), 1)
	}
	return entries
}

func TestVerifyChecksFormatPage(t *testing.T) {
	page, err := os.ReadFile(formatPage)
	require.NoError(t, err)
	const start = `{"n":1,"t":0,"k":"start","process":"p"}` + "\n"
	for _, c := range sentences {
		require.Contains(t, string(page), c.sentence)
		r, err := Verify(write(t, header+start+numbered(c.entries)+"\n"))
		require.NoError(t, err)
		require.Contains(t, fmt.Sprint(r.Problems), c.says, c.entries[:min(len(c.entries), 200)])
	}
}

func TestVerifyTap(t *testing.T) {
	tap := strings.Replace(header, `"argv"`, `"mode":"tap","argv"`, 1)
	const start = `{"n":1,"t":0,"k":"start","process":"p"}` + "\n"
	for entries, says := range map[string]string{
		`{@,"k":"stdin","seq":1,"raw":"a"}` + "\n" + `{@,"k":"stdout","seq":2,"raw":""}`:                     "[]",
		`{@,"k":"stdin","seq":1,"more":true,"eol":"","raw":"a"}` + "\n" + `{@,"k":"stdin","seq":2,"raw":""}`: "[]",
		`{@,"k":"waiting","stream":"stdin","bytes":1,"head":"x"}`:                                            "[]",
		`{@,"k":"stdin","raw":"a"}`:            "[]",
		`{@,"k":"stdin","seq":2,"raw":"a"}`:    "[entry 2: sequence numbers 1 to 1 of p are missing]",
		`{@,"k":"stdin","seq":1,"raw":"a\nb"}`: "[entry 2: holds more than one line]",
	} {
		r, err := Verify(write(t, tap+start+numbered(entries)+"\n"))
		require.NoError(t, err)
		require.Equal(t, says, fmt.Sprint(r.Problems), entries)
	}
}

func TestVerifyChecksHeader(t *testing.T) {
	for _, c := range []struct{ from, to, says string }{
		{"01KAJJMHZZ3W9T5K6VQ8X1Y2ZB", "01J", "the header's id is not a ULID"},
		{"01KAJJMHZZ3W9T5K6VQ8X1Y2ZB", "01KAJJMHZZ3W9T5K6VQ8X1Y2ZU", "the header's id is not a ULID"},
		{`"start":"2026-11-21T10:00:00.000000Z",`, "", "the header has no start time in UTC"},
		{`00.000000Z`, `00.000000+01:00`, "the header has no start time in UTC"},
		{`"placement":"local"`, `"placement":"moon"`, "the header's placement is not local, ssh or exec-server"},
		{`"placement":"local"`, `"placement":"ssh"`, "the header has no host"},
		{`,"argv":[]`, "", "the header has no argv"},
	} {
		changed := strings.Replace(header, c.from, c.to, 1)
		require.NotEqual(t, header, changed)
		r, err := Verify(write(t, changed))
		require.NoError(t, err)
		require.Equal(t, []Problem{{0, c.says}}, r.Problems, changed)
	}
}

// TestVerifyAcceptsRareEntries covers rare but valid entries.
func TestVerifyAcceptsRareEntries(t *testing.T) {
	for _, entries := range []string{
		`{@,"k":"oracle","seq":1,"m":{"a":1}}`,
		`{@,"k":"stdout","seq":1,"mood":"good","raw":"x"}`,
		`{@,"k":"stderr","seq":1,"raw":"{\"a\":1}"}`,
		`{@,"k":"stdin","raw":"{\"a\":1}\n{\"a\":2}"}`,
		`{@,"k":"stdout","seq":1,"more":true,"eol":"","raw":"x"}` + "\n" + `{@,"k":"stdout","seq":1,"raw":"{}"}`,
		`{@,"k":"stdout","seq":3,"first":1,"cuts":[[2,1],[3,1]],"raw":"x"}`,
		`{@,"k":"exited","seq":1}` + "\n" + `{@,"k":"stdout","seq":2,"eol":"","raw":"x"}`,
		`{@,"k":"stdout","seq":1,"eol":"","raw":"x"}` + "\n" + `{@,"k":"gap","from":2,"to":3,"bytes":1}` + "\n" + `{@,"k":"stdout","seq":4,"raw":"x"}`,
		`{@,"k":"act","act":"answer","of":1,"key":"k"}` + "\n" + `{@,"k":"end","entries":3,"counts":{}}`,
		`{@,"k":"stdout","seq":1,"raw":"\ufffd \ud83d\ude00 \\ud800"}`,
	} {
		r, err := Verify(write(t, header+`{"n":1,"t":0,"k":"start","process":"p"}`+"\n"+numbered(entries)+"\n"))
		require.NoError(t, err)
		require.Empty(t, r.Problems, entries)
	}
}
