package recordings

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
)

// sentences are those of the format page that Verify holds a recording against,
// each with entries that go against it. In entries @ is the number and the time
// of the entry, which follows a start.
var sentences = []struct {
	sentence string // as it stands in the page
	entries  string
	says     string // of the last entry, or all of it
}{
	{"JSONL: UTF-8", `{@,"k":"note","text":"` + "\xff" + `"}`, "entry 2: is not UTF-8"},
	{"one JSON object a line", `{@,"k":"note","text":"` + "\x01" + `"}`, "entry 1: the line after it, at byte"},
	{"one JSON object a line", `{@,"k":"stdout","seq":01,"raw":""}`, "is no JSON"},
	{"one JSON object a line", `{@,"k":"end","entries":2,"entries":2}`, "has a member twice"},
	{"one JSON object a line", `[1]`, "entry 1: the line after it, at byte"},
	{"Every entry has these, in this order, before all others", `{"t":0,"n":2,"k":"note","text":"x"}`, "entry 2: does not begin with n, t and k"},
	{"Every entry has these, in this order, before all others", `{@,"k":"exited","code":1,"seq":1}`, "entry 2: has its seq behind other members"},
	{"the number of the entry, strictly increasing", `{"n":1,"t":0,"k":"note","text":"x"}`, "entry 1: comes after entry 1"},
	{"an integer that does not fall", "{\"n\":2,\"t\":5,\"k\":\"note\",\"text\":\"x\"}\n{\"n\":3,\"t\":4,\"k\":\"note\",\"text\":\"x\"}", "entry 3: comes after entry 2, and its time 4 after 5"},
	{"microseconds of a monotonic clock since `start`", `{"n":2,"t":-1,"k":"note","text":"x"}`, "entry 2: has the time -1"},
	{"on output and on the events of a process: the number of the event", `{@,"k":"stdout","raw":""}`, "entry 2: is stdout, and has no seq"},
	{"One `stdout` or `stderr` entry is one line, or one part of a line", `{@,"k":"stdout","seq":1,"raw":"a\nb"}`, "entry 2: holds more than one line"},
	{"The payload is the last member of the entry", `{@,"k":"stdout","seq":1,"raw":"","why":"x"}`, "entry 1: the line after it"},
	{"they are one JSON object", `{@,"k":"stdout","seq":1,"m":{]}}`, "entry 1: the line after it"},
	{"they are one JSON object", `{@,"k":"stdout","seq":1,"raw":"{\"id\":1}"}`, "entry 2: has its payload as raw, and it should be m"},
	{"at most 200 levels deep", `{@,"k":"stdout","seq":1,"m":{"a":` + strings.Repeat("[", 250) + strings.Repeat("]", 250) + `}}`, "entry 2: has its payload as m, and it should be raw"},
	{"without a lone surrogate", `{@,"k":"stdout","seq":1,"m":{"a":"\ud800"}}`, "entry 2: has its payload as m, and it should be raw"},
	{"without a lone surrogate", `{@,"k":"stdout","seq":1,"raw":"\ud83d\ude00 \uDC00"}`, "entry 2: has a raw with half of a surrogate pair"},
	{"with nothing before or after it", `{@,"k":"stdout","seq":1,"m": {"a":1}}`, "entry 2: has an m that does not stand between"},
	{"no byte below 0x20", `{@,"k":"stdout","seq":1,"m":{"a":` + "\t" + `1}}`, "entry 2: has its payload as m, and it should be raw"},
	{"not for parts", `{@,"k":"stdout","seq":1,"more":true,"eol":"","m":{"a":1}}`, "entry 2: is a part of a line, and its payload is m"},
	{"not for parts", `{@,"k":"stdout","seq":1,"more":true,"eol":"","raw":"x"}` + "\n" + `{@,"k":"stdout","seq":1,"m":{"a":1}}`, "entry 3: is a part of a line, and its payload is m"},
	{"for `stdin` only if it is one message and `\\n`", `{@,"k":"stdin","eol":"","m":{"a":1}}`, "entry 2: has its payload as m, and it should be raw"},
	{"otherwise, if they are valid UTF-8", `{@,"k":"stdout","seq":1,"b64":"eA=="}`, "entry 2: has its payload as b64, and it should be raw"},
	{"a JSON string in base64 (RFC 4648, padded)", `{@,"k":"stdout","seq":1,"b64":"/w"}`, "entry 1: the line after it"},
	{"the payload is what stands between the first `,\"m\":` of the line and the last `}` of the line", `{@,"k":"stderr","seq":1,"x":[{"a":1,"m":2}],"m":{"a":1}}`, "entry 2: has an m that does not stand between"},
	{"the chunk of the line's first byte, if it is another one", `{@,"k":"stdout","seq":1,"first":1,"raw":""}`, "entry 2: began in chunk 1, and was complete with chunk 1"},
	{"then also each later chunk and where it begins", `{@,"k":"stdout","seq":2,"cuts":[[2,0]],"raw":""}`, "entry 2: has cuts and no first"},
	{"then also each later chunk and where it begins", `{@,"k":"stdout","seq":3,"first":1,"cuts":[[2,0]],"raw":""}`, "entry 2: was complete with chunk 3, and its last cut is chunk 2"},
	{"offsets count payload and end of line from 0", `{@,"k":"stdout","seq":2,"first":1,"cuts":[[2,9]],"raw":""}`, "entry 2: was cut at byte 9 of 1"},
	{"offsets count payload and end of line from 0", `{@,"k":"stdout","seq":3,"first":1,"cuts":[[2,1],[3,0]],"raw":"ab"}`, "entry 2: has cuts that are not in order: chunk 3 at byte 0"},
	{"At most 4,096", `{@,"k":"stdout","seq":4099,"first":1,"cuts":[` + manyCuts(framing.MaxCuts+1) + `],"raw":"ab"}`, "has 4097 cuts; at most 4096 are written"},
	{"how many more there were, and between which numbers `[from,to]` they are", `{@,"k":"stdout","seq":9,"first":1,"cuts":[[2,0]],"cuts_dropped":1,"cuts_range":[4,9],"raw":""}`, "entry 2: dropped cuts between chunk 3 and 9, and says [4,9]"},
	{"how many more there were, and between which numbers `[from,to]` they are", `{@,"k":"stdout","seq":9,"first":1,"cuts":[[2,0]],"cuts_dropped":1,"raw":""}`, "entry 2: does not say which cuts were dropped"},
	{"`true`: the line goes on in the next entry of the stream", `{@,"k":"stdout","seq":1,"more":false,"raw":""}`, "entry 2: gives a more that is not true"},
	{"what follows the payload, if it is not one `\\n`", `{@,"k":"stdout","seq":1,"eol":"\n","raw":""}`, "entry 2: gives an eol that is one newline"},
	{"`\"more\":true,\"eol\":\"\"` on each but the last", `{@,"k":"stdout","seq":1,"more":true,"raw":"x"}`, "entry 2: is a part of a line, and has an end of line"},
	{"A line that the stream's end\ncut short has `\"eol\":\"\"` and no `more`", `{@,"k":"stdout","seq":1,"eol":"","raw":"x"}` + "\n" + `{@,"k":"stdout","seq":1,"raw":"y"}`, "entry 3: comes after a line that the end of stdout cut short"},
	{"`process` its id", `{@,"k":"start","pid":1}`, "entry 2: is start, and has no process"},
	{"`phase`, `detail`?", `{@,"k":"phase"}`, "entry 2: is phase, and has no phase"},
	{"`policy`, `named`?", `{@,"k":"env","policy":1}`, "entry 2: env entry 2: json:"},
	{"the write of entry `of` was not accepted whole", `{@,"k":"write","of":2,"status":"x","bytes":0}`, "entry 2: tells of entry 2, which is not before it"},
	{"`head`? the first 256 at most", `{@,"k":"waiting","stream":"stdout","bytes":300,"head":"` + strings.Repeat("x", 257) + `"}`, "entry 2: quotes more than 256 bytes"},
	{"bytes wait for their newline for a second", `{@,"k":"waiting","stream":"stdin","bytes":300}`, "entry 2: waits on a stream that there is not"},
	{"and its streams are at their end; the last event", `{@,"k":"failed","error":"x",` + noSums + `}` + "\n" + `{@,"k":"stdout","seq":1,"raw":""}`, "entry 3: comes after the last event of p"},
	{"pipes were not read from `begin` to `end`", `{@,"k":"held","begin":5,"end":4,"streams":[]}`, "entry 2: was held from 5 to 4"},
	{"output is lost: the numbers `from` to `to`", `{@,"k":"gap","from":5,"to":4,"bytes":1}`, "entry 2: is a gap from 5 to 4"},
	{"the recorder finished", `{@,"k":"end","entries":2}` + "\n" + `{@,"k":"note","text":"x"}`, "entry 3: comes after the end"},
	{"`entries`: how many, this one included", `{@,"k":"end","entries":3}`, "entry 2: counts 3 entries where there are 2"},
	{"`counts`? over the whole file", `{@,"k":"end","entries":2,"counts":{"out":1}}`, "entry 2: counts {Out:1 In:0 Errors:0 Stray:0 Stderr:0} where there are {Out:0 "},
	{"What the other side of a connection said is `said`, at most 4 KiB", `{@,"k":"note","text":"x","said":"` + strings.Repeat("x", 5000) + `"}`, "entry 2: has a said of 5000 bytes"},
	{"The `stdin` entry directly behind it is that answer", `{@,"k":"act","act":"answer","of":1}` + "\n" + `{@,"k":"note","text":"x"}`, "entry 3: stands where the stdin has to be"},
	{"in the `stdin` entry directly behind this one", `{@,"k":"act","act":"again","of":1}` + "\n" + `{@,"k":"end","entries":3}`, "entry 3: stands where the stdin has to be"},
	{"in 16 hexadecimal digits", `{@,"k":"failed","error":"x","stdout":{"bytes":0,"xxh64":"0"},"stderr":{"bytes":0,"complete":false},"stdin":{"bytes":0,"complete":false}}`, "entry 2: has no hash of stdout in 16 hexadecimal digits"},
	{"one sequence of numbers from 1", `{@,"k":"stdout","seq":2,"raw":""}`, "of p the sequence numbers 1 to 1 are missing"},
	{"`stdin` and `failed` have\nnone", `{@,"k":"stdin","seq":1,"raw":""}`, "entry 2: is stdin, and has a seq"},
	{"`stdin` and `failed` have\nnone", `{@,"k":"failed","seq":1,"error":"x",` + noSums + `}`, "entry 2: is failed, and has a seq"},
}

const noSums = `"stdout":{"bytes":0,"complete":false},"stderr":{"bytes":0,"complete":false},"stdin":{"bytes":0,"complete":false}`

func manyCuts(n int) string {
	var cuts []string
	for i := range n {
		cuts = append(cuts, fmt.Sprintf("[%d,0]", i+2))
	}
	return strings.Join(cuts, ",")
}

// numbered puts the numbers of entries for each @, from 2 on.
func numbered(entries string) string {
	for n := 2; strings.Contains(entries, "{@"); n++ {
		entries = strings.Replace(entries, "{@", fmt.Sprintf(`{"n":%d,"t":0`, n), 1)
	}
	return entries
}

func TestVerifyHoldsARecordingAgainstThePage(t *testing.T) {
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

func TestVerifyHoldsTheHeaderAgainstThePage(t *testing.T) {
	for _, c := range []struct{ from, to, says string }{
		{"01KAJJMHZZ3W9T5K6VQ8X1Y2ZB", "01J", "the header's id is no ULID"},
		{"01KAJJMHZZ3W9T5K6VQ8X1Y2ZB", "01KAJJMHZZ3W9T5K6VQ8X1Y2ZU", "the header's id is no ULID"},
		{`"start":"2026-11-21T10:00:00.000000Z",`, "", "the header has no start in UTC"},
		{`00.000000Z`, `00.000000+01:00`, "the header has no start in UTC"},
		{`"placement":"local"`, `"placement":"moon"`, "the header's placement is neither local nor ssh"},
		{`"placement":"local"`, `"placement":"ssh"`, "the header names no host"},
		{`,"argv":[]`, "", "the header has no argv"},
	} {
		changed := strings.Replace(header, c.from, c.to, 1)
		require.NotEqual(t, header, changed)
		r, err := Verify(write(t, changed))
		require.NoError(t, err)
		require.Equal(t, []Problem{{0, c.says}}, r.Problems, changed)
	}
}

// What the page allows is no problem, though it is rare.
func TestVerifyAllowsWhatThePageAllows(t *testing.T) {
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
