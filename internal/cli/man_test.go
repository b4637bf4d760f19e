package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
)

// manLine matches the lines that a page may have: text must not be read as
// requests.
var manLine = regexp.MustCompile(`^(\.(TH|SH|PP|TP|nf|fi)( .*)?|([^.'\\]|\\(-|e|\(dq|f[BR]|&[.']))?([^\\]|\\(-|e|\(dq|f[BR]))*)$`)

func TestManPages(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "man1")
	r := clitest.InProcess(t, "man", "--dir", folder)
	require.Equal(t, clitest.Result{}, r)
	pages := 0
	everyCommand(func(cmd *cobra.Command, words []string) {
		pages++
		page, err := os.ReadFile(filepath.Join(folder, manName(cmd)+".1"))
		require.NoError(t, err)
		require.Equal(t, string(page), clitest.InProcess(t, append([]string{"man"}, words...)...).Stdout)
		for line := range strings.Lines(string(page)) {
			require.Regexp(t, manLine, strings.TrimSuffix(line, "\n"))
		}
		require.Contains(t, string(page), roffText(cmd.Short))
		for _, section := range []string{"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS"} {
			require.Contains(t, string(page), "\n.SH "+section+"\n")
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			require.Contains(t, string(page), roffText("--"+f.Name), cmd.Name())
		})
	})
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Greater(t, len(files), pages, "including those of cobra")

	require.Contains(t, clitest.InProcess(t, "man", "rec").Stdout, "\\fBrec export\\fR\nConvert a recording")
	require.Contains(t, clitest.InProcess(t, "man", "smoke").Stdout, "\\fB\\-\\-jobs N\\fR\nrun N servers at once; connections to further hosts are opened ahead (default 16)\n")
	require.Equal(t, "cat\nexport\n", clitest.InProcess(t, "__complete", "man", "rec", "").Stdout[:len("cat\nexport\n")])
	for says, args := range map[string][]string{
		`no command "rec cut"`: {"man", "rec", "cut"}, `no command "smoke x"`: {"man", "smoke", "x"},
		"--dir writes all pages": {"man", "--dir", folder, "rec"}, "--dir: ": {"man", "--dir", filepath.Join(folder, "mcpdbg.1")},
	} {
		r := clitest.InProcess(t, args...)
		require.Equal(t, console.ExitUsage, r.Code, args)
		require.Contains(t, r.Stderr, says)
	}
}

func TestRoffEscapesText(t *testing.T) {
	var page bytes.Buffer
	r := roff{&page}
	r.prose(".SH NAME\n'tis \\fB \"x\" a-b\n\n  .x\n  y\nz")
	require.Equal(t, ".PP\n\\&.SH NAME\n\\&'tis \\efB \\(dqx\\(dq a\\-b\n.PP\n.nf\n  .x\n  y\n.fi\nz\n", page.String())
}

func TestManSections(t *testing.T) {
	t.Parallel()
	everyCommand(func(cmd *cobra.Command, words []string) {
		page := clitest.InProcess(t, append([]string{"man"}, words...)...).Stdout
		at := 0
		for _, section := range []string{"OPTIONS", "EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES", "SEE ALSO"} {
			next := strings.Index(page, "\n.SH "+section+"\n")
			require.Greater(t, next, at, "%s: %s", cmd.CommandPath(), section)
			at = next
		}
	})
	require.Contains(t, clitest.InProcess(t, "man", "smoke").Stdout, "known_hosts")
	require.NotContains(t, clitest.InProcess(t, "man", "diff").Stdout, "known_hosts")
	require.Contains(t, clitest.InProcess(t, "man").Stdout, `mcpdbg\-smoke(1)`)
	require.Contains(t, clitest.InProcess(t, "man", "rec", "cat").Stdout, `mcpdbg\-rec(1), mcpdbg\-rec\-export(1)`)
}

// The page of exit codes lists the codes of the program.
func TestExitCodesAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/exit-codes.md")
	require.NoError(t, err)
	for _, e := range exitMeanings {
		require.Contains(t, string(page), "\n| "+strconv.Itoa(e.code)+" | ")
	}
}
