package smoke

import (
	"slices"
	"strings"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/hosts"
	"mcpdbg/internal/wording"
	"mcpdbg/session/secret"
)

// maxLimited is how many targets a command line names; more are named by a report.
const maxLimited = 8

// notAgain are flags of one run: its outputs, its selection, and its history, which takes
// whole runs only.
var notAgain = []string{
	"report", "json", "jsonl", "tap", "junit", "html", "markdown", "sarif", "quiet", "update", "update-baseline", "plain",
	"limit", "shard", "history", "recordings", "record", "stop-over", "fail-fast",
}

// again returns the command line that runs only the failed targets of a report, or "" if there
// is none that differs from the one of this run.
func (fl *fleet) again(r *verify.Report, lists []string, reports []console.Report[*verify.Report]) string {
	limit := strings.Join(r.Failures, ",")
	for i := range reports {
		if isJSON(&reports[i]) {
			limit = "@" + reports[i].Path
		}
	}
	many := len(r.Failures) > maxLimited && !strings.HasPrefix(limit, "@")
	if r.FailOn.New || len(r.Failures) == 0 || len(r.Failures) == len(r.Targets) || many || slices.Contains(lists, "-") {
		return ""
	}
	words := append([]string{"mcpdbg", r.Command}, fl.flags.GivenWords(notAgain...)...)
	words = append(words, "--limit", limit)
	if fl.flags.Config.File == "" && len(fl.env.Command) > 0 {
		cmd, err := fl.flags.Command(fl.env.Command)
		if err != nil {
			return ""
		}
		words = append(append(words, "--"), secret.Conceal(cmd.Argv, cmd.Env)...)
	}
	return wording.CommandLine(words)
}

// isJSON reports whether a report is one that --limit reads.
func isJSON(r *console.Report[*verify.Report]) bool {
	return r.Path != "-" && (r.Flag == "--report json" ||
		r.Flag == "--report" && strings.HasSuffix(r.Path, ".json") && !strings.HasSuffix(r.Path, ".codequality.json"))
}

// open returns the command line that opens the server of a target in the interface.
func (fl *fleet) open(target int) string {
	t, argv, err := fl.at(target)
	if err != nil {
		return ""
	}
	var more []string
	if p := fl.places[fl.plan.Targets[target].Host]; p != nil && t.SSH.Remote() {
		for _, one := range []struct{ name, flag string }{
			{hosts.VarPathFrom, "--path-from"}, {hosts.VarLaunch, "--ssh-launch"}, {hosts.VarKey, "--ssh-identity"},
		} {
			if v, ok := p.vars[one.name]; ok {
				more = append(more, one.flag, v.Value)
			}
		}
	}
	words, err := t.OpenWords(argv, more...)
	if err != nil {
		return ""
	}
	return wording.CommandLine(words)
}
