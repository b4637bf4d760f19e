package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"mcpdbg/internal/demo"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

func (a *app) demoCommand() *cobra.Command {
	var t targetFlags
	var s screenFlags
	cmd := &cobra.Command{
		Use:   "demo [flags]",
		Short: "Debug the built-in demo server; needs nothing but this program",
		Long: `demo opens the interface on the built-in demo server. Without a terminal on
stdout it shows a short guided session instead.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.hasCommand {
				return usagef("demo takes no command: to debug a server of yours, mcpdbg -- COMMAND")
			}
			if err := a.screen(s); err != nil {
				return err
			}
			argv := append(slices.Clone(a.self), demoServer)
			if a.terminal {
				return a.interactive(cmd.Context(), t, argv, "demo server", watchFlags{})
			}
			a.command = argv
			return a.guided(cmd.Context(), t)
		},
	}
	t.registerLocal(cmd)
	s.register(cmd)
	return cmd
}

// guided is a session with the demo server that shows what a session is made
// of: handshake, lists, calls, a request of the server, the shutdown ladder.
func (a *app) guided(ctx context.Context, t targetFlags) error {
	if t.era == "auto" && t.protocol == "" {
		t.era = string(mcp.Legacy) // there a server still sends requests of its own
	}
	l, err := a.prepareDemo(ctx, t)
	if err != nil {
		return err
	}
	say := func(text string) { l.Note(text, "") }
	out := a.follow(l, runFlags{})
	err = func() error {
		ctx := out.ctx(ctx)
		say("guided session: the handshake")
		if err := l.Open(ctx); err != nil {
			return err
		}
		for _, list := range mcp.Lists {
			say("list " + list.Name)
			if _, err := l.ListAll(ctx, list); err != nil {
				return err
			}
		}
		for _, step := range guidedSteps {
			say(step.text)
			progress := func(json.RawMessage) {} // the messages themselves are in the log
			if _, err := l.Request(ctx, mcp.MethodToolsCall, json.RawMessage(step.params), session.CallOptions{Progress: progress}); err != nil {
				return fmt.Errorf("%s: %w", step.text, err)
			}
		}
		say("the shutdown ladder: close stdin, then TERM, then KILL, as far as needed")
		return nil
	}()
	report, endErr := l.end(ctx)
	err = printed(interrupted(ctx, err), out.finish())
	a.reportEnd(l, true, report, err)
	return errors.Join(err, endErr)
}

// prepareDemo is prepare with the demo's canned answers, unless --answers
// gives others.
func (a *app) prepareDemo(ctx context.Context, t targetFlags) (*live, error) {
	answers, err := session.ParseAnswers(demo.CannedAnswers())
	if err != nil {
		return nil, err
	}
	if t.answers == "" {
		t.defaultAnswers = answers
	}
	return a.prepare(ctx, t, a.command, nil)
}

var guidedSteps = []struct{ text, params string }{
	{"call a tool", `{"name":"echo","arguments":{"message":"hello"}}`},
	{"a tool with structured output", `{"name":"add","arguments":{"a":19,"b":23}}`},
	{"a tool that reports progress", `{"name":"slow","arguments":{"seconds":0.3,"steps":3}}`},
	{"a tool that fails", `{"name":"fail","arguments":{"kind":"isError"}}`},
	{"a tool that makes the server ask us: the answer is canned", `{"name":"ask","arguments":{}}`},
}

func (a *app) demoServerCommand() *cobra.Command {
	var misbehave string
	var list, changed bool
	cmd := &cobra.Command{
		Use:   demoServer + " [--misbehave KIND]",
		Short: "Be the demo server, on stdio",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case list:
				return a.printKinds()
			case misbehave != "":
				opts := demo.Options{Version: version, Self: append(slices.Clone(a.self), demoServer, "--misbehave")}
				os.Exit(demo.Misbehave(cmd.Context(), misbehave, os.Stdin, os.Stdout, os.Stderr, opts))
			}
			os.Exit(demo.Serve(cmd.Context(), os.Stdin, os.Stdout, os.Stderr, demo.Options{Version: version, Changed: changed}))
			return nil
		},
	}
	cmd.Flags().StringVar(&misbehave, "misbehave", "", "be a server with the fault `KIND`")
	var kinds []cobra.Completion
	for _, k := range demo.Kinds() {
		kinds = append(kinds, cobra.CompletionWithDesc(k.Name, k.Description))
	}
	completeOneOf(cmd, "misbehave", kinds...)
	cmd.Flags().BoolVar(&changed, "changed", false, "differ from the demo server in one tool's schema (slow) and one answer (of add)")
	cmd.Flags().BoolVar(&list, "list", false, "list the kinds of fault")
	cmd.MarkFlagsMutuallyExclusive("changed", "misbehave")
	return cmd
}

func (a *app) printKinds() error {
	for _, k := range demo.Kinds() {
		name := k.Name
		if k.Param != "" {
			name += "[:" + k.Param + "]"
		}
		if _, err := fmt.Fprintf(a.stdout, "%-34s %-6s %s\n", name, k.Lint, k.Description); err != nil {
			return err
		}
	}
	return nil
}
