package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/termsafe"
)

func (a *app) callCommand() *cobra.Command {
	var t targetFlags
	var tool, params string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "call [flags] (METHOD | --tool NAME) [ARG...] -- COMMAND [ARG...]",
		Short: "Send one request and print its result as one JSON document",
		Long: `call starts the server, shakes hands, sends one request, prints the result on
stdout and shuts the server down. An error answer goes to stderr, exit code 1;
with --json it is in the object on stdout, too.

An ARG is a member of the params, or with --tool of the tool's arguments:
NAME=TEXT is always a string, NAME:=JSON any JSON value, NAME=@FILE a file's
text and NAME:=@FILE the JSON in a file. FILE may be -, which is standard input;
one argument can read it, or --params.

After a failed tool call it also lists the tools, for at most 10 s, to say what
may be wrong with the call.`,
		Example: `  mcpdbg call resources/read uri=file:///etc/hosts -- ./my-server
  mcpdbg call --tool add a:=1 b:=2 -- ./my-server
  mcpdbg call prompts/get --params '{"name":"greet"}' -- ./my-server`,
		ValidArgsFunction: completeMethods,
		RunE: func(cmd *cobra.Command, args []string) error {
			method, body, err := a.callParams(cmd.Context(), tool, params, args)
			if err != nil {
				return err
			}
			return a.call(cmd.Context(), t, callRequest{method, body, params == "", asJSON})
		},
	}
	cmd.Flags().StringVar(&tool, "tool", "", "call the tool `NAME`: METHOD is tools/call")
	cmd.Flags().StringVar(&params, "params", "", "the params as a `JSON` object; @FILE takes it from a file, - from standard input")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object with the result or the error, and with times and the server")
	completeNothing(cmd, "tool", "params")
	t.register(cmd)
	return cmd
}

// callParams makes method and params of what stands on the command line.
func (a *app) callParams(ctx context.Context, tool, params string, args []string) (method string, body json.RawMessage, err error) {
	if tool == "" {
		if len(args) == 0 {
			return "", nil, usagef("no method: name one, such as tools/list, or a tool with --tool")
		}
		method, args = args[0], args[1:]
		if method == "" {
			return "", nil, usagef("no method: its name is empty")
		}
	}
	if params != "" {
		if len(args) > 0 {
			return "", nil, usagef("--params and arguments (%s) cannot be combined", args[0])
		}
		if body, err = a.readParams(ctx, params); err != nil {
			return "", nil, err
		}
	} else if len(args) > 0 || tool != "" {
		if body, err = a.parseArgs(ctx, args); err != nil {
			return "", nil, err
		}
	}
	if tool == "" {
		return method, body, nil
	}
	body, err = json.Marshal(struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}{tool, body})
	if err != nil {
		return "", nil, usagef("--tool: %v", err)
	}
	return mcp.MethodToolsCall, body, nil
}

// maxShown is how much of a wrong value an error repeats.
const maxShown = 200

// readParams reads the value of --params: a JSON object, @FILE with one, or -.
func (a *app) readParams(ctx context.Context, params string) (json.RawMessage, error) {
	text, where := []byte(params), ""
	if file, isFile := strings.CutPrefix(params, "@"); isFile || params == "-" {
		var err error
		if text, err = a.readFile(ctx, "--params", file); err != nil {
			return nil, err
		}
		where = " " + params
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil || object == nil {
		return nil, usagef("--params%s: must be a JSON object, not %.*s", where, maxShown, text)
	}
	return text, nil
}

// A callRequest is what call sends, and how its answer is printed.
type callRequest struct {
	method string
	params json.RawMessage
	typed  bool // the params are words of the command line
	asJSON bool
}

func (a *app) call(ctx context.Context, t targetFlags, r callRequest) error {
	return a.withSession(ctx, t, func(ctx context.Context, l *live) error {
		begin := time.Now()
		resp, err := l.Request(ctx, r.method, r.params, session.CallOptions{})
		if err != nil {
			return err
		}
		took := time.Since(begin)
		isError := resp.Error == nil && reportsError(resp.Result)
		printErr := a.printAnswer(l, r, resp, took)
		about, hint := "", ""
		if tool := toolCallOf(r.method, r.params, r.typed); tool != nil && (resp.Error != nil || isError) {
			about, hint = tool.advise(ctx, l.Session)
		}
		switch {
		case resp.Error != nil:
			err = fmt.Errorf("%s: %w%s", r.method, resp.Error, errorData(resp.Error))
			if about != "" {
				err = fmt.Errorf("%w\n%s", err, about)
			}
			return printed(withHint(&answerError{err: err}, cmp.Or(hint, callHint(resp.Error, r, about))), printErr)
		case isError && about+hint != "":
			return printed(withHint(&answerError{err: errors.New(strings.TrimSpace("the tool reports an error\n" + about))}, hint), printErr)
		case isError:
			return printed(&answerError{err: errors.New("the tool reports an error"), printed: true}, printErr)
		}
		return printErr
	})
}

// reportsError reports whether the result of a tool is an error.
func reportsError(result json.RawMessage) bool {
	var r struct {
		IsError bool `json:"isError"`
	}
	return json.Unmarshal(result, &r) == nil && r.IsError
}

// A callDocument is what call prints with --json; docs/json.md describes it.
type callDocument struct {
	Method    string            `json:"method"`
	Tool      string            `json:"tool,omitempty"`
	OK        bool              `json:"ok"`
	Duration  int64             `json:"duration_us"`
	Server    string            `json:"server,omitempty"`
	Era       string            `json:"era,omitempty"`
	Protocol  string            `json:"protocol,omitempty"`
	Recording string            `json:"recording,omitempty"`
	N         uint64            `json:"n"`
	Result    json.RawMessage   `json:"result,omitempty"`
	Error     *session.RPCError `json:"error,omitempty"`
}

// printAnswer prints the result, or with --json a document that has the error of
// the answer too.
func (a *app) printAnswer(l *live, r callRequest, resp session.Response, took time.Duration) error {
	if !r.asJSON {
		if resp.Error != nil {
			return nil
		}
		return a.printJSON(resp.Result)
	}
	server := l.Status().Server
	doc := callDocument{
		Method: r.method, OK: resp.Error == nil && !reportsError(resp.Result), Duration: took.Microseconds(),
		Server: strings.TrimSpace(server.Name + " " + server.Version), Era: server.Era.String(), Protocol: server.Protocol,
		Recording: l.log.Path(), N: resp.N, Result: resp.Result, Error: resp.Error,
	}
	if tool := toolCallOf(r.method, r.params, r.typed); tool != nil {
		doc.Tool = tool.tool
	}
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false) // the result is as the server wrote it
	if err := to.Encode(doc); err != nil {
		return fmt.Errorf("print the answer: %w", err)
	}
	return a.printJSON(bytes.TrimSpace(text.Bytes()))
}

func errorData(e *session.RPCError) string {
	if len(e.Data) == 0 {
		return ""
	}
	return " " + string(e.Data)
}

// callHint is what to try after an error of which nothing more is known; about is
// what is.
func callHint(e *session.RPCError, r callRequest, about string) string {
	switch {
	case about != "":
	case e.Code == mcp.CodeInvalidParams && r.typed:
		return "NAME:=JSON for numbers, true, false, arrays and objects: NAME=TEXT is always a string"
	case e.Code == mcp.CodeMethodNotFound:
		return "mcpdbg list tools -- COMMAND shows what the server offers"
	}
	return ""
}

// withSession opens a session, does one thing with it and ends it.
func (a *app) withSession(ctx context.Context, t targetFlags, do func(context.Context, *live) error) error {
	t, argv, err := a.choose(t)
	if err != nil {
		return err
	}
	l, err := a.prepare(ctx, t, argv, a.prompter())
	if err != nil {
		return err
	}
	a.warn(t.from)
	err = l.Open(ctx)
	if err == nil {
		a.announce(l.Status().Process.Notices)
		err = do(ctx, l)
		err = withHint(err, unansweredHint(err, l.log.Stats()))
	}
	err = interrupted(ctx, err)
	report, endErr := l.end(ctx)
	a.reportEnd(l, err != nil, report, err)
	return errors.Join(err, endErr)
}

// warn says what is odd about a server of a config file.
func (a *app) warn(from *configured) {
	if from == nil {
		return
	}
	for _, p := range from.problems() {
		for _, line := range append([]string{"mcpdbg: note: " + p.Error()}, hintLines(p.Try)...) {
			fmt.Fprintln(a.stderr, termsafe.String(line))
		}
	}
}

// announce says what is not as it should be about a start on another machine. A
// notice that is only for completeness stays in the recording.
func (a *app) announce(notices []executor.Notice) {
	for _, n := range notices {
		if !strings.HasPrefix(n.Code, "mode.") && !strings.HasPrefix(n.Code, "run.") && n.Code != "config.unread" {
			continue
		}
		lines := append([]string{"mcpdbg: note: " + n.Text}, quoteSaid(n.SaidBy, n.Said)...)
		for _, line := range append(lines, hintLines(n.Hint)...) {
			fmt.Fprintln(a.stderr, termsafe.String(line))
		}
	}
}

// unansweredHint is what to try about a request without an answer.
func unansweredHint(err error, stats session.Stats) string {
	switch {
	case !errors.Is(err, session.ErrTimeout):
		return ""
	case stats.Stray > 0:
		return fmt.Sprintf("%d lines on stdout were no messages: the recording has them and says why", stats.Stray)
	default:
		return "--timeout gives it longer"
	}
}

// printJSON prints one JSON document: as the server wrote it, or indented and
// made safe if a person looks at it.
func (a *app) printJSON(doc []byte) error {
	if !a.terminal {
		_, err := fmt.Fprintf(a.stdout, "%s\n", doc)
		return err
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, doc, "", "  "); err != nil {
		return fmt.Errorf("print the result: %w", err)
	}
	for line := range bytes.Lines(pretty.Bytes()) {
		if _, err := fmt.Fprintln(a.stdout, termsafe.String(string(bytes.TrimSuffix(line, []byte("\n"))))); err != nil {
			return err
		}
	}
	return nil
}
