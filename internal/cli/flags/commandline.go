package flags

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcpdbg/session"
	"mcpdbg/session/secret"
)

// elsewhere are flags that OpenWords writes itself, or that are about recordings and other
// files.
var elsewhere = []string{"ssh", "exec-server", "via", "cwd", "env", "config", "server", "input", "record", "no-record", "max-part"}

// OpenWords returns the command line that opens the server alone. argv is its command, and more
// are further flags; values of variables are omitted.
func (t *Target) OpenWords(argv []string, more ...string) ([]string, error) {
	cmd, err := t.Command(argv)
	if err != nil {
		return nil, err
	}
	words := []string{"mcpdbg"}
	h := session.Header{Host: t.SSH.Dest, ExecServer: t.ExecServer.Text}
	if t.From != nil {
		words = append(words, "--config", t.Config.File, "--server", t.From.Entry.Name)
	}
	if t.From == nil || t.Given("via") || t.ShownVia != nil {
		h.Via = secret.Conceal(t.Via, cmd.Env)
	}
	if t.From == nil || t.Cwd != t.From.Start.Dir {
		h.Cwd = t.Cwd
	}
	words = append(append(words, h.Flags()...), withoutValues(t.Env)...)
	root := &cobra.Command{}
	new(Target).Register(root)
	words = append(words, t.givenWords(func(name string) bool {
		return root.Flags().Lookup(name) == nil || slices.Contains(elsewhere, name) || !t.SSH.Remote() && slices.Contains(SSHOnly, name)
	})...)
	words = append(words, more...)
	if t.From == nil {
		words = append(append(words, "--"), secret.Conceal(argv, cmd.Env)...)
	}
	return words, nil
}

// GivenWords returns the flags of the command line except some, with VALUE for values of
// variables.
func (t *Target) GivenWords(except ...string) []string {
	except = append(except, "env", "input")
	words := t.givenWords(func(name string) bool { return slices.Contains(except, name) })
	return append(words, withoutValues(t.Env)...)
}

// withoutValues returns the flags that set variables, with VALUE for each value.
func withoutValues(env []string) (words []string) {
	for _, pair := range env {
		name, _, _ := strings.Cut(pair, "=")
		words = append(words, "-e", name+"=VALUE")
	}
	return words
}

// givenWords returns the flags of the command line, in its order.
func (t *Target) givenWords(skip func(name string) bool) (words []string) {
	t.set.Visit(func(f *pflag.Flag) {
		if skip(f.Name) {
			return
		}
		name := "--" + f.Name
		many, isMany := f.Value.(pflag.SliceValue)
		switch {
		case isMany:
			for _, value := range many.GetSlice() {
				if key, _, ok := strings.Cut(value, "="); ok && f.Name == "var" { // of a scenario
					value = key + "=VALUE"
				}
				words = append(words, name, value)
			}
		case f.Value.Type() == "bool" && f.Value.String() == "true":
			words = append(words, name)
		case f.Value.Type() == "bool":
			words = append(words, name+"="+f.Value.String())
		default:
			words = append(words, name, f.Value.String())
		}
	})
	return words
}
