package report

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
)

func asTAP(t testing.TB, r *verify.Report) []byte {
	return written(t, func(w io.Writer) error { return TAP(w, r) })
}

// need skips a test if a program is missing, and fails it with CI=true.
func need(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "%v", err)
		t.Skip(err)
	}
	return path
}

func TestTAPGolden(t *testing.T) { golden(t, "smoke.tap", asTAP(t, sample())) }

// TestProveReadsTAP checks that prove reads the report and counts the same.
func TestProveReadsTAP(t *testing.T) {
	prove, cat := need(t, "prove"), need(t, "cat")
	run := func(r *verify.Report) (string, error) {
		path := filepath.Join(t.TempDir(), "report.tap")
		require.NoError(t, os.WriteFile(path, asTAP(t, r), 0o600))
		out, err := exec.CommandContext(t.Context(), prove, "-e", cat, path).CombinedOutput()
		require.NotContains(t, string(out), "Parse errors")
		return string(out), err
	}
	out, err := run(sample())
	require.Error(t, err)
	require.Contains(t, out, "Failed tests:  3-13")
	require.Contains(t, out, "Tests=13")
	out, err = run(&verify.Report{Targets: sample().Targets[:2]})
	require.NoError(t, err, out)
	require.Contains(t, out, "Result: PASS")
}

// yamlReader prints the message and the said lines that prove's reader finds in
// the YAML of each test.
const yamlReader = `use TAP::Parser;
my $p = TAP::Parser->new({source => $ARGV[0]});
while (my $r = $p->next) {
	print "test ", $r->description, "\n" if $r->is_test;
	next unless $r->is_yaml;
	my $d = $r->data;
	print "$d->{host}|$d->{cause}|$d->{message}|$d->{timings_ms}{connect}|", $d->{said}, "\n";
}
print "error: $_\n" for $p->parse_errors;`

func TestYAMLIsRead(t *testing.T) {
	perl := need(t, "perl")
	need(t, "prove")
	r := sample()
	r.Targets[7].Host = `web # 7 \ `
	r.Targets[7].Said[0] = "  " + r.Targets[7].Said[0]
	r.Targets[7].Said = append(r.Targets[7].Said, "", "  ...", "---", "not ok 99 - x", "  ", "a: b", "- c: d", "1..4")
	path := filepath.Join(t.TempDir(), "report.tap")
	require.NoError(t, os.WriteFile(path, asTAP(t, r), 0o600))
	out, err := exec.CommandContext(t.Context(), perl, "-e", yamlReader, path).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "\nweb # 7 \\ |handshake|it ended before it answered the handshake: exit code 3|9|"+
		"Traceback (most recent call last):\nKeyError: 'API_KEY' # \\ ]]> <b>\n  ...\n---\nnot ok 99 - x\na: b\n- c: d\n1..4\n")
	require.NotContains(t, string(out), "error:")
}

// tapLine matches any valid line.
var tapLine = regexp.MustCompile(`^(TAP version 13|1\.\.\d+|(not )?ok \d+ - ([^#\\]|\\#|\\\\)*|  ---|  \.\.\.|# \d+ passed, \d+ failed, \d+ cancelled|# checked: .*|  [a-z_]+:( ".*"| -?[\d.]+| \|)?|    .*)$`)

// tapIsWhole checks the lines of a document: no text may begin a line.
func tapIsWhole(t testing.TB, text []byte, targets int) {
	t.Helper()
	all := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	tests := 0
	for _, line := range all {
		if !tapLine.MatchString(line) {
			require.Fail(t, "no line of TAP", "%q", line)
		}
		if strings.HasPrefix(line, "ok ") || strings.HasPrefix(line, "not ok ") {
			tests++
		}
	}
	require.Equal(t, targets, tests)
	require.Equal(t, targets, bytes.Count(text, []byte("\n  ---\n")))
	require.Equal(t, targets, bytes.Count(text, []byte("\n  ...\n")))
}

func TestTAPLines(t *testing.T) { tapIsWhole(t, asTAP(t, full()), len(full().Targets)) }
