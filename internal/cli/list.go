package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/session/mcp"
	"mcpdbg/ui/termsafe"
)

func (a *app) listCommand() *cobra.Command {
	var t targetFlags
	var asJSON bool
	var names []string
	for _, l := range mcp.Lists {
		names = append(names, l.Name)
	}
	cmd := &cobra.Command{
		Use:       "list [flags] " + strings.Join(names, "|") + " -- COMMAND [ARG...]",
		Short:     "List what a server offers, all pages",
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("list what? one of %s", strings.Join(names, ", "))
			}
			i := slices.Index(names, args[0])
			if i < 0 {
				return usagef("list %q: must be one of %s", args[0], strings.Join(names, ", "))
			}
			return a.list(cmd.Context(), t, mcp.Lists[i], asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array of the items as the server sent them")
	t.register(cmd)
	return cmd
}

func (a *app) list(ctx context.Context, t targetFlags, list mcp.List, asJSON bool) error {
	return a.withSession(ctx, t, func(ctx context.Context, l *live) error {
		server := l.Status().Server
		declared := server.Offers(list)
		items, err := l.ListAll(ctx, list)
		if err != nil && codeOf(err) == exitUsage {
			err = &answerError{err: err} // it was no list
		}
		switch undeclared := "the server does not declare " + list.Name + " in its capabilities"; {
		case err != nil && !declared:
			return fmt.Errorf("%s, and was asked all the same: %w", undeclared, err)
		case err != nil:
			return err
		case !declared:
			fmt.Fprintln(a.stderr, "mcpdbg: note: "+undeclared)
		}
		if asJSON {
			doc := slices.Concat([]byte("["), bytes.Join(rawBytes(items), []byte(",")), []byte("]"))
			return a.printJSON(doc)
		}
		return a.printTable(list, items)
	})
}

func rawBytes(items []json.RawMessage) [][]byte {
	out := make([][]byte, len(items))
	for i, item := range items {
		out[i] = item
	}
	return out
}

// item is what the table shows of a listed thing.
type item struct {
	Name, Title, Description, URI, URITemplate string
	Annotations                                struct {
		ReadOnlyHint, DestructiveHint *bool
	}
}

const nameWidth = 40

// printTable prints name (or URI) and the first line of the description.
func (a *app) printTable(list mcp.List, items []json.RawMessage) error {
	var out bytes.Buffer
	for _, raw := range items {
		var it item
		if err := json.Unmarshal(raw, &it); err != nil {
			return &answerError{err: fmt.Errorf("%s: item %.100s: %w", list.Method, raw, err)}
		}
		name := it.URI + it.URITemplate
		if name == "" {
			name = it.Name
		}
		line := termsafe.AppendAligned(nil, []byte(name), max(nameWidth, termsafe.Width(name)), termsafe.Left, termsafe.Options{})
		line = append(line, ' ', ' ')
		line = safe(line, describeItem(it))
		out.Write(bytes.TrimRight(line, " "))
		out.WriteByte('\n')
	}
	what := list.Name
	if len(items) == 1 {
		what = strings.TrimSuffix(what, "s")
	}
	fmt.Fprintf(&out, "%d %s\n", len(items), what)
	_, err := a.stdout.Write(out.Bytes())
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
