package flags

import (
	"path"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/wording"
	"mcpdbg/session/via"
)

// RegisterVia adds the flags for a prefix of the command that leads to another place.
func (t *Target) RegisterVia(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Var((*prefix)(&t.Via), "via", "start the server through `CMD`, such as 'docker exec -i NAME'; split into words as by a shell, but no shell runs it")
	f.BoolVar(&t.ViaPlain, "via-plain", false, "start the bare command: no label, and no script of ours that ends its process tree in the container")
	CompleteNothing(cmd, "via")
}

type prefix []string

// String implements pflag.Value.
func (p *prefix) String() string { return wording.CommandLine(*p) }

// Type implements pflag.Value.
func (p *prefix) Type() string { return "command" }

// Set implements pflag.Value.
func (p *prefix) Set(text string) (err error) {
	*p, err = via.Split(text)
	return err
}

func (t *Target) checkVia() error {
	if len(t.Via) == 0 {
		return nil
	}
	if err := via.Check(t.Via); err != nil {
		from := "--via"
		if !t.Given("via") {
			from = "via of the config file"
		}
		return console.Usagef("%s: %v", from, err)
	}
	if t.Cwd != "" && !path.IsAbs(t.Cwd) {
		return console.Usagef("--cwd %s: with --via it must be an absolute path there (the default is where CMD starts)", t.Cwd)
	}
	return nil
}
