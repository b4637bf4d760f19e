package cli

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
)

// exitMeanings are for manual pages; docs/exit-codes.md has the details.
var exitMeanings = []struct {
	code  int
	means string
}{
	{console.ExitOK, "success"},
	{console.ExitFailure, "negative result: an error response, a failed step or check, or differences"},
	{console.ExitUsage, "wrong usage or unreadable input"},
	{console.ExitStart, "the server could not be started, or ended before it responded"},
	{console.ExitTimeout, "the startup, the handshake or a request timed out"},
	{console.ExitReach, "the host or the place of --via could not be reached, or the connection was lost"},
	{console.ExitPartial, "success, but the recording or standard output is incomplete"},
}

type manTerm struct{ word, means string }

var manEnvironment = []manTerm{
	{"XDG_CONFIG_HOME", "folder of the settings; ~/.config by default"},
	{"XDG_STATE_HOME", "folder of recordings and drafts; ~/.local/state by default"},
	{"XDG_CACHE_HOME", "folder of stored indexes; ~/.cache by default"},
	{"NO_COLOR", "if set, no colours"},
	{"TERM", "if it is dumb, lines of text instead of a screen"},
	{"VISUAL, EDITOR", "the editor for messages"},
	{"MCPDBG_MARK", "set for every server, to find its processes"},
}

var manFiles = []manTerm{
	{"$XDG_CONFIG_HOME/mcpdbg/config.toml", "settings"},
	{"$XDG_STATE_HOME/mcpdbg/recordings", "recordings"},
	{"$XDG_STATE_HOME/mcpdbg/drafts", "drafts of messages"},
	{"$XDG_STATE_HOME/mcpdbg/eras.json", "commands that speak the modern era, as digests"},
	{"$XDG_STATE_HOME/mcpdbg/digest.key", "the secret key of digests in recordings; back it up with them"},
	{"~/.local/state/mcpdbg/wrapped", "what wrapped entries of config files were"},
	{"$XDG_CACHE_HOME/mcpdbg/index", "indexes of large recordings; can be deleted"},
}

// Further terms of commands that reach hosts.
var (
	manSSHEnvironment = []manTerm{{"SSH_AUTH_SOCK", "the ssh agent"}}
	manSSHFiles       = []manTerm{
		{"~/.ssh/config", "ssh configuration, read by the ssh program"},
		{"~/.ssh/known_hosts", "host keys"},
	}
)

var cobraExamples = map[string]string{
	"completion": "  mcpdbg completion bash > /etc/bash_completion.d/mcpdbg",
	"help":       "  mcpdbg help smoke",
}

// sections follow the options.
func (r roff) sections(cmd *cobra.Command) {
	r.section("EXIT STATUS")
	for _, e := range exitMeanings {
		r.term(strconv.Itoa(e.code), e.means)
	}
	r.term("128+N", "ended by signal N")
	environment, files := manEnvironment, manFiles
	if cmd.LocalFlags().Lookup("ssh") != nil {
		environment, files = slices.Concat(environment, manSSHEnvironment), slices.Concat(files, manSSHFiles)
	}
	r.section("ENVIRONMENT")
	r.terms(environment)
	r.section("FILES")
	r.terms(files)
	example := cmp.Or(cmd.Example, cobraExamples[cmd.Name()])
	if example == "" && cmd.HasParent() { // the shells of completion
		example = cobraExamples[cmd.Parent().Name()]
	}
	if example != "" {
		r.section("EXAMPLES")
		r.block(example)
	}
	r.section("SEE ALSO")
	r.text(strings.Join(relatedPages(cmd), ", "))
}

func (r roff) terms(terms []manTerm) {
	for _, t := range terms {
		r.term(t.word, t.means)
	}
}

func relatedPages(cmd *cobra.Command) []string {
	related := documented(cmd)
	if cmd.HasParent() {
		related = slices.Concat([]*cobra.Command{cmd.Parent()}, documented(cmd.Parent()), related)
	}
	var names []string
	for _, c := range related {
		if c != cmd {
			names = append(names, manName(c)+"(1)")
		}
	}
	return names
}
