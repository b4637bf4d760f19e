package tap

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
	"mcpdbg/session/target"
	"mcpdbg/session/target/edit"
	"mcpdbg/ui/widget/termsafe"
)

// A choice selects entries of config files.
type choice struct {
	client, scope, config string
	settling              time.Duration
}

func (c *choice) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	words := clientWords()
	f.StringVar(&c.client, "client", "", "only servers of this `client`: "+strings.Join(words, ", "))
	f.StringVar(&c.scope, "scope", "", "only servers of this `scope`: project or user")
	f.StringVar(&c.config, "config", "", "only servers of this config `file`")
	flags.CompleteOneOf(cmd, "client", words...)
	flags.CompleteOneOf(cmd, "scope", string(target.ScopeProject), string(target.ScopeUser))
}

// clientWords returns the clients whose files can be edited, as words of a command line.
func clientWords() []string {
	var words []string
	for _, client := range target.Clients() {
		if facts, ok := client.Facts(); ok {
			words = append(words, facts.Word)
		}
	}
	return words
}

func (c *choice) check() error {
	if words := clientWords(); c.client != "" && !slices.Contains(words, c.client) {
		return console.WithHint(console.Usagef("--client %q: unknown client; use one of %s", c.client, strings.Join(words, ", ")), wording.DidYouMean("--client ", c.client, words))
	}
	if c.scope != "" && c.scope != string(target.ScopeProject) && c.scope != string(target.ScopeUser) {
		return console.Usagef("--scope %q: use project or user", c.scope)
	}
	return nil
}

// complete completes the names of servers.
func (c *choice) complete(wrapped bool) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var names []cobra.Completion
		opts := target.CurrentOptions()
		for _, file := range target.Discover(opts) {
			for i := range file.Entries {
				e := &file.Entries[i]
				plain := termsafe.String(e.Name) == e.Name // completions are printed unescaped
				if plain && (e.Tap != nil) == wrapped && (wrapped || edit.Refusal(e, true) == nil) {
					names = append(names, cobra.CompletionWithDesc(e.Name, string(e.Client)))
				}
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// editor returns an editor for this user and program.
func (c *choice) editor(env *console.Env) (*edit.Editor, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	opts, err := flags.TargetOptions()
	if err != nil {
		return nil, err
	}
	state, err := recordings.TapState()
	if err != nil {
		return nil, err
	}
	return &edit.Editor{Options: opts, Program: installed(env.Self[0]), State: state, Passing: []string{os.TempDir(), "/tmp", "/var/tmp", os.Getenv("GOCACHE")}}, nil
}

// installed returns the path of this program by which PATH finds it, if it does: a version
// manager keeps that one, and moves the other.
func installed(self string) string {
	found, err := exec.LookPath("mcpdbg")
	if err != nil || !filepath.IsAbs(found) {
		return self
	}
	a, errA := os.Stat(found)
	b, errB := os.Stat(self)
	if errA != nil || errB != nil || !os.SameFile(a, b) {
		return self
	}
	return found
}

// entries returns the servers of the config file, or of all that are found and all with
// a remembered entry.
func (c *choice) entries(env *console.Env, ed *edit.Editor) ([]target.Entry, error) {
	if c.config != "" {
		file, err := target.Read(c.config, ed.Options)
		if err != nil {
			return nil, console.Usagef("%v", err)
		}
		return c.matching(file.Entries), nil
	}
	files := target.Discover(ed.Options)
	for _, key := range ed.Remembered() {
		if slices.ContainsFunc(files, func(f target.File) bool { return f.Path == key.File }) {
			continue
		}
		file, err := target.Read(key.File, ed.Options)
		if errors.Is(err, fs.ErrNotExist) {
			note(env, fmt.Sprintf("%s, which had the wrapped server %q, is gone", wording.Path(key.File), key.Name))
			continue
		}
		file.Err = err
		files = append(files, file)
	}
	var all []target.Entry
	for _, file := range files {
		if file.Err != nil {
			note(env, file.Err.Error())
		}
		all = append(all, c.matching(file.Entries)...)
	}
	return all, nil
}

// matching returns the entries of the given client and scope.
func (c *choice) matching(entries []target.Entry) []target.Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e target.Entry) bool {
		facts, ok := e.Client.Facts()
		return c.client != "" && (!ok || facts.Word != c.client) || c.scope != "" && string(e.Scope) != c.scope
	})
}

func hasName(entries []target.Entry, name string) bool {
	return slices.ContainsFunc(entries, func(e target.Entry) bool { return e.Name == name })
}

// pick returns the entry of a name. Of those for projects, only the ones that the current
// folder is in count, if there are any.
func (c *choice) pick(entries []target.Entry, name string) (*target.Entry, error) {
	var all, here []*target.Entry
	var names []string
	cwd, _ := os.Getwd() // "" is in no project
	for i := range entries {
		e := &entries[i]
		if !slices.Contains(names, e.Name) {
			names = append(names, e.Name)
		}
		if e.Name != name {
			continue
		}
		all = append(all, e)
		if e.Scope == target.ScopeUser || wording.IsWithin(e.Project, cwd) {
			here = append(here, e)
		}
	}
	if len(here) > 0 {
		all = here
	}
	switch {
	case len(all) == 1:
		return all[0], nil
	case len(all) > 1:
		var lines strings.Builder
		for _, e := range all {
			lines.WriteString("\n  " + where(e))
		}
		return nil, console.WithHint(console.Usagef("several servers are called %q:%s", name, lines.String()), "--client, --scope or --config FILE to choose one")
	case len(names) == 0:
		return nil, console.WithHint(console.Usagef("no server %q: no config file with servers was found", name), "--config FILE")
	}
	return nil, console.WithHint(console.Usagef("no server %q; there are %s", name, wording.List(names)), wording.DidYouMean("", name, names))
}
