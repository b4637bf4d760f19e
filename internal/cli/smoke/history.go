package smoke

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/verify/history"
	"mcpdbg/internal/wording"
)

type historyFlags struct {
	limit, report string
	json          bool
}

func historyCommand(env *console.Env) *cobra.Command {
	var f historyFlags
	cmd := &cobra.Command{
		Use:   "history FOLDER",
		Short: "Compare the runs in a folder of --history",
		Long: `history compares the runs that smoke --history or check --history kept in a
folder: how many targets passed in each run and how long they took, which
targets became slower, and which are flaky. Slower means that the median of the
last 5 runs is at least 1.5 times that of the earlier ones and grew by 20 ms.
Flaky means at least 3 changes of outcome while the version of the server stayed
the same, or a run that passed only at another attempt.`,
		Example: `  mcpdbg smoke history runs/nightly
  mcpdbg smoke history runs/nightly --limit 'notes@web-*'
  mcpdbg smoke history runs/nightly --json | jq '.flaky[].id'`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return console.Usagef("smoke history takes one folder")
			}
			return runHistory(cmd.Context(), env, args[0], &f)
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	set.StringVar(&f.limit, "limit", "", "only targets that match `pattern`, and the outcomes of each: globs of ids or hosts, with commas")
	set.BoolVar(&f.json, "json", false, "print one JSON document")
	set.StringVar(&f.report, "report", "", "also write Markdown to `file`, whose name ends with .md")
	return cmd
}

func runHistory(ctx context.Context, env *console.Env, folder string, f *historyFlags) error {
	if f.report != "" && filepath.Ext(f.report) != ".md" {
		return console.Usagef("--report %s: the name must end with .md", f.report)
	}
	limit, err := idLimit(f.limit)
	if err != nil {
		return err
	}
	s, err := history.Read(ctx, folder)
	if err != nil {
		return console.UnreadInput("history", err)
	}
	trend := s.Trend(limit)
	if limit != nil && trend.Targets == 0 {
		return console.Usagef("--limit %s: matches no target of the runs", f.limit)
	}
	if f.report != "" {
		file, err := console.Create(f.report, true)
		if err != nil {
			return fmt.Errorf("--report: %w", err)
		}
		if err := file.Finish(trend.Markdown(file)); err != nil {
			return err
		}
	}
	if f.json {
		return writeTrend(env.Stdout, trend)
	}
	return trend.Text(env.Stdout)
}

func writeTrend(w io.Writer, t *history.Trend) error {
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	_, err = w.Write(wording.VisibleJSON(append(text, '\n')))
	return err
}

// idLimit returns nil for "", which is every target.
func idLimit(pattern string) (func(id string) bool, error) {
	if pattern == "" {
		return nil, nil
	}
	globs := strings.Split(pattern, ",")
	for _, glob := range globs {
		if _, err := path.Match(glob, ""); err != nil || glob == "" {
			return nil, console.Usagef("--limit %s: invalid pattern", pattern)
		}
	}
	return func(id string) bool {
		_, host, _ := strings.Cut(id, "@")
		for _, glob := range globs {
			whole, _ := path.Match(glob, id) // valid: see above
			part, _ := path.Match(glob, host)
			if whole || part {
				return true
			}
		}
		return false
	}, nil
}
