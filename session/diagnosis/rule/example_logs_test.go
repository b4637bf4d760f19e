package rule

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/mcp"
)

// The files testdata/rules/ID.txt show each rule about contents at work. A file has
// sections that begin with "-- bad" or "-- good" and the rest of the line as a name.
// Every bad section violates the rule of the file, and no other; every good
// section violates none. The lines of a section:
//
//	# comment
//	legacy REVISION [CLIENT-CAPABILITIES [SERVER-CAPABILITIES]]  a handshake
//	modern [SERVER-CAPABILITIES]                                 a server/discover
//	> MESSAGE        to the server
//	< MESSAGE        from the server
//	! TEXT           on stderr
//	= ENTRY          another entry of a recording, without n and t
//	+ DURATION       time passes
//	... also ID ID   other rules that this log must violate, if it cannot be avoided
//
// In a message $META is the _meta member of a request in the modern era,
// and $OK for the members that every modern result has. In capabilities there is no
// space.

const (
	modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"a test","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{}}`
	modernOK = `"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"server","version":"1"}}`
)

// An exampleLog is one section of a file.
type exampleLog struct {
	name    string
	bad     bool
	also    []string
	entries []string
	t       time.Duration
}

func (x *exampleLog) add(format string, args ...any) {
	head := fmt.Sprintf(`{"n":%d,"t":%d,`, len(x.entries)+1, x.t.Microseconds())
	x.entries = append(x.entries, head+fmt.Sprintf(format, args...)+"}\n")
	x.t += time.Millisecond
}

func (x *exampleLog) line(t testing.TB, line string) {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "legacy":
		x.handshake(strings.Fields(rest))
	case "modern":
		x.discover(rest)
	case ">":
		x.add(`"k":"stdin","m":%s`, expand(t, rest))
	case "<":
		x.add(`"k":"stdout","seq":1,"m":%s`, expand(t, rest))
	case "!":
		text, err := json.Marshal(rest)
		require.NoError(t, err)
		x.add(`"k":"stderr","seq":1,"raw":%s`, text)
	case "=":
		x.add("%s", strings.TrimSuffix(strings.TrimPrefix(rest, "{"), "}"))
	case "+":
		d, err := time.ParseDuration(rest)
		require.NoError(t, err)
		x.t += d
	case "...":
		x.also = strings.Fields(strings.TrimPrefix(rest, "also "))
	default:
		require.Fail(t, "unknown line", line)
	}
}

// expand replaces the abbreviations and checks that the message is JSON.
func expand(t testing.TB, message string) string {
	message = strings.NewReplacer("$META", modernMeta, "$OK", modernOK).Replace(message)
	require.True(t, json.Valid([]byte(message)), "not JSON: %s", message)
	return message
}

func (x *exampleLog) handshake(words []string) {
	revision, client, server := words[0], "{}", `{"tools":{},"prompts":{},"resources":{},"logging":{}}`
	if len(words) > 1 {
		client = words[1]
	}
	if len(words) > 2 {
		server = words[2]
	}
	x.add(`"k":"stdin","m":{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":%q,"capabilities":%s,"clientInfo":{"name":"a test","version":"1"}}}`, revision, client)
	x.add(`"k":"stdout","seq":1,"m":{"jsonrpc":"2.0","id":"init","result":{"protocolVersion":%q,"capabilities":%s,"serverInfo":{"name":"server","version":"1"}}}`, revision, server)
	x.add(`"k":"stdin","m":{"jsonrpc":"2.0","method":%q}`, mcp.MethodInitialized)
}

func (x *exampleLog) discover(server string) {
	if server == "" {
		server = `{"tools":{},"prompts":{},"resources":{},"logging":{}}`
	}
	x.add(`"k":"stdin","m":{"jsonrpc":"2.0","id":"discover","method":"server/discover","params":{%s}}`, modernMeta)
	x.add(`"k":"stdout","seq":1,"m":{"jsonrpc":"2.0","id":"discover","result":{%s,"ttlMs":0,"cacheScope":"private","supportedVersions":[%q],"capabilities":%s}}`,
		modernOK, mcp.V20260728, server)
}

// exampleLogs reads the sections of a file.
func exampleLogs(t testing.TB, path string) []*exampleLog {
	var logs []*exampleLog
	for line := range strings.Lines(string(readFile(t, path))) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case line == "", strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "-- "):
			kind, name, _ := strings.Cut(line[len("-- "):], " ")
			require.Contains(t, []string{"good", "bad"}, kind)
			logs = append(logs, &exampleLog{name: name, bad: kind == "bad"})
		default:
			require.NotEmpty(t, logs, "a line before the first section")
			logs[len(logs)-1].line(t, line)
		}
	}
	return logs
}

// open opens the log as a recording.
func (x *exampleLog) open(t *testing.T) *recordings.Recording {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(header+strings.Join(x.entries, "")), 0o600))
	rec, err := recordings.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rec.Close()) })
	require.Zero(t, rec.Warnings())
	return rec
}

// problems checks the log.
func (x *exampleLog) problems(t *testing.T) []diagnosis.Problem {
	return Check(t.Context(), x.open(t)).Problems()
}

// allExamples reads the logs of all rules, by rule.
func allExamples(t testing.TB) map[string][]*exampleLog {
	files, err := filepath.Glob("testdata/rules/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	all := make(map[string][]*exampleLog)
	for _, file := range files {
		all[strings.TrimSuffix(filepath.Base(file), ".txt")] = exampleLogs(t, file)
	}
	return all
}

// requireProblems checks that the problems of the log are those that the section
// declares for the rule of its file.
func (x *exampleLog) requireProblems(t *testing.T, id string, problems []diagnosis.Problem) {
	want := x.also
	if x.bad {
		want = append([]string{id}, x.also...)
	}
	var got, details []string
	for _, p := range problems {
		if !slices.Contains(got, p.Rule.ID) {
			got = append(got, p.Rule.ID)
		}
		details = append(details, fmt.Sprintf("%s %s %s: %s", p.Severity.Letter(), p.Rule.ID, p.Where, p.Detail))
	}
	require.ElementsMatch(t, want, got, "section %q\n%s", x.name, strings.Join(details, "\n"))
}

// TestExampleLogs checks the examples of every rule about contents.
func TestExampleLogs(t *testing.T) {
	for id, logs := range allExamples(t) {
		t.Run(id, func(t *testing.T) {
			bad, good := 0, 0
			for _, x := range logs {
				if x.bad {
					bad++
				} else {
					good++
				}
				x.requireProblems(t, id, x.problems(t))
			}
			require.Positive(t, bad, "no log that violates %s", id)
			require.Positive(t, good, "no log like it that does not violate %s", id)
		})
	}
}
