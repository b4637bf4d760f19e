package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/execserver"
	"mcpdbg/internal/cli/rec"
	"mcpdbg/internal/cli/replay"
	runcmd "mcpdbg/internal/cli/run"
	"mcpdbg/internal/cli/smoke"
	"mcpdbg/internal/cli/tap"
)

// A subcommand is a command below the root.
type subcommand struct {
	name string
	// it has no subcommands, and neither finds nor suggests commands
	alone bool
	make  func(*console.Env) *cobra.Command
}

func subcommands() []subcommand {
	return []subcommand{
		{"demo", true, demoCommand},
		{"run", true, runcmd.Command},
		{"call", true, runcmd.CallCommand},
		{"list", true, runcmd.ListCommand},
		{"open", true, rec.OpenCommand},
		{"rec", false, func(env *console.Env) *cobra.Command { return rec.Command(env, unknownWord) }},
		{"replay", true, replay.Command},
		{"diff", true, replay.DiffCommand},
		{"mock", true, replay.MockCommand},
		{console.Tap, false, tap.Command},
		{"wrap", true, tap.WrapCommand},
		{"unwrap", true, tap.UnwrapCommand},
		{"smoke", false, smoke.Command},
		{"check", true, smoke.CheckCommand},
		{"explain", true, explainCommand},
		{"exec-server", true, execserver.Command},
		{console.DemoServer, true, demoServerCommand},
		{"keys", true, keysCommand},
		{"schema", true, schemaCommand},
		{"man", false, manCommand},
		{"version", true, versionCommand},
	}
}

// neededBy returns the commands that these arguments can need, and whether those are all.
// Making all of them takes a tenth of the time of a short command.
func neededBy(args []string) (needed []subcommand, whole bool) {
	all := subcommands()
	if len(args) == 0 {
		return nil, false
	}
	i := slices.IndexFunc(all, func(c subcommand) bool { return c.alone && c.name == args[0] })
	if i < 0 {
		return all, true
	}
	return all[i : i+1], false
}
