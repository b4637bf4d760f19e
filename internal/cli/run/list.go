package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/framing"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/live"
	"mcpdbg/session/mcp"
	"mcpdbg/session/target"
	"mcpdbg/ui/widget/termsafe"
)

// ListCommand returns the command list.
func ListCommand(env *console.Env) *cobra.Command {
	var t flags.Target
	var asJSON bool
	var names []string
	for _, l := range mcp.Lists {
		names = append(names, l.Name)
	}
	cmd := &cobra.Command{
		Use:   "list [flags] " + strings.Join(names, "|") + " -- COMMAND [ARG...]",
		Short: "List the tools, resources, templates or prompts of a server",
		Example: `  mcpdbg list tools -- ./my-server
  mcpdbg list prompts --json --config .mcp.json --server notes`,
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			if url := slices.IndexFunc(args, target.IsURL); url >= 0 {
				return flags.URLError(args[url])
			}
			if len(args) != 1 {
				return console.Usagef("list takes one of %s", strings.Join(names, ", "))
			}
			i := slices.Index(names, args[0])
			if i < 0 {
				return console.Usagef("list %q: must be one of %s", args[0], strings.Join(names, ", "))
			}
			return listItems(cmd.Context(), env, t, mcp.Lists[i], asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array of the items as the server sent them")
	t.Register(cmd)
	return cmd
}

func listItems(ctx context.Context, env *console.Env, t flags.Target, list mcp.List, asJSON bool) error {
	return live.With(ctx, env, t, func(ctx context.Context, l *live.Session) error {
		server := l.Status().Server
		declared := server.Offers(list)
		items, err := l.ListAll(ctx, list)
		if err != nil && console.ExitCode(err) == console.ExitUsage {
			err = &console.ResponseError{Err: err} // not a list
		}
		switch undeclared := "the server does not declare " + list.Name + " in its capabilities"; {
		case err != nil && !declared:
			return fmt.Errorf("%s; the request was sent anyway: %w", undeclared, err)
		case err != nil:
			return err
		case !declared:
			fmt.Fprintln(env.Stderr, "mcpdbg: note: "+undeclared)
		}
		if asJSON {
			doc := slices.Concat([]byte("["), bytes.Join(rawBytes(items), []byte(",")), []byte("]"))
			return env.PrintJSON(doc)
		}
		return printItems(env, list, items)
	})
}

func rawBytes(items []json.RawMessage) [][]byte {
	out := make([][]byte, len(items))
	for i, item := range items {
		out[i] = item
	}
	return out
}

type item struct {
	Name, Title, Description, URI, URITemplate string
	Annotations                                struct {
		ReadOnlyHint, DestructiveHint *bool
	}
}

const nameWidth = 40

// Name (or URI) and the first line of the description.
func printItems(env *console.Env, list mcp.List, items []json.RawMessage) error {
	var out bytes.Buffer
	for _, raw := range items {
		var it item
		if err := framing.Unmarshal(raw, &it); err != nil {
			return &console.ResponseError{Err: fmt.Errorf("%s: item %.100s: %w", list.Method, raw, err)}
		}
		name := it.URI + it.URITemplate
		if name == "" {
			name = it.Name
		}
		line := termsafe.AppendAligned(nil, []byte(name), max(nameWidth, termsafe.Width(name)), termsafe.Left, termsafe.Options{})
		line = append(line, ' ', ' ')
		line = termsafe.AppendAll(line, describeItem(it))
		out.Write(bytes.TrimRight(line, " "))
		out.WriteByte('\n')
	}
	what := list.Name
	if len(items) == 1 {
		what = strings.TrimSuffix(what, "s")
	}
	fmt.Fprintf(&out, "%d %s\n", len(items), what)
	_, err := env.Stdout.Write(out.Bytes())
	return err
}

func describeItem(it item) string {
	text, _, _ := strings.Cut(strings.TrimSpace(it.Description), "\n")
	if text == "" {
		text = it.Title
	}
	if text == "" && it.URI+it.URITemplate != "" {
		text = it.Name
	}
	if hint := it.Annotations.ReadOnlyHint; hint != nil && *hint {
		text = "[read-only] " + text
	}
	return text
}
