package rule

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var record = flag.Bool("record", false, "re-record the fixtures of the demo servers")

// A scene is a session with a demo server, recorded as a fixture.
type scene struct {
	fixture string
	kind    string // of misbehavior; "" for the healthy server
	flags   string // of mcpdbg run
	in      string // messages sent after the handshake
}

const (
	twoCalls = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"one"}}}
{"jsonrpc":"2.0","id":"a-1","method":"tools/call","params":{"name":"echo","arguments":{"message":"two"}}}
`
	oneCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"one"}}}
`
	slowCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{"seconds":30}}}
`
)

// scenes are sessions that depend little on the speed and memory of the machine.
var scenes = []scene{
	{"healthy-legacy", "", "--era legacy", twoCalls},
	{"healthy-modern", "", "--era modern", ""},
	{"stray-text", "stray-text", "--era legacy", oneCall},
	{"junk-only", "junk-only", "--era legacy --startup-timeout 1s", ""},
	{"bom", "bom", "--era legacy --timeout 1s", oneCall},
	{"crlf", "crlf", "--era legacy", oneCall},
	{"multi-line", "multi-line", "--era legacy --timeout 1s", oneCall},
	{"invalid-utf8", "invalid-utf8", "--era legacy --timeout 1s", oneCall},
	{"nul", "nul", "--era legacy --timeout 1s", oneCall},
	{"no-final-newline", "no-final-newline", "--era legacy", oneCall},
	{"lsp-headers", "lsp-headers", "--era legacy --startup-timeout 2s", ""},
	{"ansi", "ansi", "--era legacy", oneCall},
	{"lone-cr", "lone-cr", "--era legacy", oneCall},
	{"ids", "ids", "--era legacy --timeout 1s", oneCall},
	{"batch", "batch", "--era legacy --timeout 1s", oneCall},
	{"duplicate-answers", "duplicate-answers", "--era legacy", oneCall},
	{"orphan-answers", "orphan-answers", "--era legacy", oneCall},
	{"id-type", "id-type", "--era legacy --timeout 1s", twoCalls},
	{"never-answers", "never-answers", "--startup-timeout 2s", ""},
	{"dies-at-start", "dies-at-start", "--era legacy", ""},
	{"crash-mid-call", "crash-mid-call", "--era legacy", oneCall},
	{"panic-mid-call", "crash-mid-call:panic", "--era legacy", oneCall},
	{"ignores-eof-term", "ignores-eof-term:60", "--era legacy", oneCall},
	{"holds-stdout", "holds-stdout:5000", "--era legacy", oneCall},
	{"late-output", "late-output:300", "--era legacy", oneCall},
	{"buffered", "buffered", "--era legacy --startup-timeout 2s", ""},
	{"slow-start", "slow-start", "--era legacy", ""},
	{"dropped-at-eof", "", "--era legacy --timeout 100ms", slowCall},
}

// TestRecord records the scenes. The order of concurrent events may change, so
// review the golden findings afterwards.
func TestRecord(t *testing.T) {
	if !*record {
		t.Skip("only with -record")
	}
	program := filepath.Join(t.TempDir(), "mcpdbg")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", program, "mcpdbg").CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, s := range scenes {
		t.Run(s.fixture, func(t *testing.T) {
			t.Parallel()
			s.record(t, program)
		})
	}
}

func (s *scene) record(t *testing.T, program string) {
	dir := t.TempDir()
	file, in := filepath.Join(dir, "rec.jsonl"), filepath.Join(dir, "in.jsonl")
	require.NoError(t, os.WriteFile(in, []byte(s.in), 0o600))
	args := append([]string{"run", "--quiet", "--record", file, "--env-policy", "none", "--in", in}, strings.Fields(s.flags)...)
	args = append(args, "--", program, "demo-server")
	if s.kind != "" {
		args = append(args, "--misbehave", s.kind)
	}
	out, _ := exec.CommandContext(t.Context(), program, args...).CombinedOutput() // most of them fail
	data, err := os.ReadFile(file)
	require.NoError(t, err, "%s", out)
	require.NoError(t, os.WriteFile(filepath.Join("testdata", s.fixture+".jsonl"), s.anonymous(data, program), 0o644))
}

// anonymous removes machine-specific data.
func (s *scene) anonymous(data []byte, program string) []byte {
	data = bytes.ReplaceAll(data, []byte(filepath.Dir(program)+"/"), nil)
	header := fmt.Sprintf(`{"mcpdbg":1,"id":"01M7ZF433N1N3C5QN6B809Z7HC","tool":"mcpdbg 0.1.0","start":"2026-11-21T16:30:38Z","placement":"local","argv":["mcpdbg","demo-server","--misbehave",%q]}`, s.kind)
	if s.kind == "" {
		header = strings.Replace(header, `,"--misbehave",""`, "", 1)
	}
	lines := []string{header + "\n"}
	for i, line := range strings.SplitAfter(string(data), "\n") {
		if i > 0 && !strings.Contains(line, `,"k":"env",`) {
			lines = append(lines, line)
		}
	}
	return []byte(strings.Join(lines, ""))
}
