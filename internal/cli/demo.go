package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/live"
	"mcpdbg/internal/cli/logs"
	"mcpdbg/internal/cli/tui"
	"mcpdbg/internal/demo"
	"mcpdbg/session"
	"mcpdbg/session/answers"
	"mcpdbg/session/mcp"
)

func demoCommand(env *console.Env) *cobra.Command {
	var t flags.Target
	var s flags.Screen
	cmd := &cobra.Command{
		Use:   "demo [flags]",
		Short: "Debug the built-in demo server (nothing else to install)",
		Long: `demo opens the interface with the built-in demo server. If stdout is not a
terminal, it prints a short guided session instead.`,
		Example: "  mcpdbg demo\n  mcpdbg demo | head",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if env.HasCommand {
				return console.Usagef("demo takes no command; to debug your own server, use mcpdbg -- COMMAND")
			}
			if err := flags.ApplyScreen(env, s); err != nil {
				return err
			}
			argv := append(slices.Clone(env.Self), console.DemoServer)
			if env.Terminal {
				return tui.ShowSession(cmd.Context(), env, t, argv, "demo server", flags.Watch{})
			}
			env.Command = argv
			return guided(cmd.Context(), env, t)
		},
	}
	t.RegisterLocal(cmd)
	s.Register(cmd)
	return cmd
}

// guided shows the parts of a session: handshake, lists, calls, a server request, the
// shutdown sequence.
func guided(ctx context.Context, env *console.Env, t flags.Target) error {
	if t.Era == "auto" && t.Protocol == "" {
		t.Era = string(mcp.Legacy) // in which servers send requests
	}
	l, err := prepareDemo(ctx, env, t)
	if err != nil {
		return err
	}
	note := func(text string) { l.Note(text, "") }
	out := logs.Follow(l.Log, env.Stdout, logs.Options{})
	err = func() error {
		ctx := out.Context(ctx)
		note("guided session: the handshake")
		if err := l.Open(ctx); err != nil {
			return err
		}
		for _, list := range mcp.Lists {
			note("list " + list.Name)
			if _, err := l.ListAll(ctx, list); err != nil {
				return err
			}
		}
		for _, step := range guidedSteps {
			note(step.text)
			progress := func(json.RawMessage) {} // the log has the messages
			if _, err := l.Request(ctx, mcp.MethodToolsCall, json.RawMessage(step.params), session.CallOptions{Progress: progress}); err != nil {
				return fmt.Errorf("%s: %w", step.text, err)
			}
		}
		note("the shutdown sequence: close stdin, then SIGTERM, then SIGKILL, as needed")
		return nil
	}()
	report, endErr := l.End(ctx)
	err = console.Printed(console.Interrupted(ctx, err), out.Finish())
	live.ReportEnd(env, l, true, report, err)
	return errors.Join(err, endErr)
}

// prepareDemo adds the demo's canned responses unless --answers is given.
func prepareDemo(ctx context.Context, env *console.Env, t flags.Target) (*live.Session, error) {
	canned, err := answers.Parse(demo.CannedAnswers())
	if err != nil {
		return nil, err
	}
	if t.Answers == "" {
		t.DefaultAnswers = canned
	}
	return live.Prepare(ctx, env, t, env.Command, nil)
}

var guidedSteps = []struct{ text, params string }{
	{"call a tool", `{"name":"echo","arguments":{"message":"hello"}}`},
	{"a tool with structured output", `{"name":"add","arguments":{"a":19,"b":23}}`},
	{"a tool that reports progress", `{"name":"slow","arguments":{"seconds":0.3,"steps":3}}`},
	{"a tool that fails", `{"name":"fail","arguments":{"kind":"isError"}}`},
	{"a tool that sends a server request; the response is canned", `{"name":"ask","arguments":{}}`},
}

func demoServerCommand(env *console.Env) *cobra.Command {
	var misbehave string
	var list, changed bool
	cmd := &cobra.Command{
		Use:   console.DemoServer + " [--misbehave KIND]",
		Short: "Serve the demo server on stdio",
		Example: `  mcpdbg -- mcpdbg demo-server
  mcpdbg list tools -- mcpdbg demo-server --misbehave stray-text`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case list:
				return printKinds(env)
			case misbehave != "":
				opts := demo.Options{Version: console.Version, Self: append(slices.Clone(env.Self), console.DemoServer, "--misbehave")}
				os.Exit(demo.Misbehave(cmd.Context(), misbehave, os.Stdin, os.Stdout, os.Stderr, opts))
			}
			os.Exit(demo.Serve(cmd.Context(), os.Stdin, os.Stdout, os.Stderr, demo.Options{Version: console.Version, Changed: changed}))
			return nil
		},
	}
	cmd.Flags().StringVar(&misbehave, "misbehave", "", "misbehave with the fault `KIND`")
	var kinds []cobra.Completion
	for _, k := range demo.Kinds() {
		kinds = append(kinds, cobra.CompletionWithDesc(k.Name, k.Description))
	}
	flags.CompleteOneOf(cmd, "misbehave", kinds...)
	cmd.Flags().BoolVar(&changed, "changed", false, "change one tool's schema (slow) and one tool's result (add)")
	cmd.Flags().BoolVar(&list, "list", false, "list the fault kinds")
	cmd.MarkFlagsMutuallyExclusive("changed", "misbehave")
	return cmd
}

func printKinds(env *console.Env) error {
	for _, k := range demo.Kinds() {
		name := k.Name
		if k.Param != "" {
			name += "[:" + k.Param + "]"
		}
		if _, err := fmt.Fprintf(env.Stdout, "%-34s %-6s %s\n", name, k.Lint, k.Description); err != nil {
			return err
		}
	}
	return nil
}
