package run

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

	"mcpdbg/framing"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/cli/live"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// CallCommand returns the command call.
func CallCommand(env *console.Env) *cobra.Command {
	var t flags.Target
	var tool, params string
	var metas []string
	var asJSON, quiet bool
	var task taskFlags
	cmd := &cobra.Command{
		Use:   "call [flags] (METHOD | --tool NAME) [ARG...] -- COMMAND [ARG...]",
		Short: "Send one request and print its result as one JSON document",
		Long: `call starts the server, completes the handshake, sends one request, prints the
result on stdout and shuts the server down. An error response goes to stderr
(exit code 1); with --json it is also in the object on stdout. A long result is
printed while it arrives: if it is cut, a part of it is on stdout and the exit
code is 3.

Each ARG is a member of the params, or with --tool of the tool's arguments:
NAME=TEXT is always a string, NAME:=JSON any JSON value, NAME=@FILE the text of
a file and NAME:=@FILE the JSON in a file. FILE may be - for standard input,
which only one argument or --params can read.

Progress of the call goes to stderr. If the server first requires a visit to
URLs (error -32042 of revision 2025-11-25), they are listed, never opened, and
the call is sent again when you press Enter or the server reports that it was
done; without a terminal --answers has to accept them.

A tool that requires it is called as a task, and others with --task if the
server supports that: call polls the task to its end, with its state on stderr.
An interrupt cancels the task, and a second one does not wait for that. A task
whose time is up (--timeout) is named in the error; it ends with the server.

After a failed tool call it also lists the tools, for at most 10 s, to suggest
what may be wrong with the call.`,
		Example: `  mcpdbg call resources/read uri=file:///etc/hosts -- ./my-server
  mcpdbg call --tool add a:=1 b:=2 -- ./my-server
  mcpdbg call prompts/get --params '{"name":"greet"}' -- ./my-server
  mcpdbg call --tool ask --answers answers.json -- ./my-server
  mcpdbg call --tool add a:=1 b:=2 --meta 'trace="4f2a"' -- ./my-server`,
		ValidArgsFunction: completeMethods,
		RunE: func(cmd *cobra.Command, args []string) error {
			method, body, err := callParams(cmd.Context(), env, tool, params, args)
			if err != nil {
				return err
			}
			meta, err := parseMeta(metas)
			if err != nil {
				return err
			}
			if body, err = withMeta(body, meta); err != nil {
				return err
			}
			if err := task.check(method); err != nil {
				return err
			}
			return sendRequest(cmd.Context(), env, t, callRequest{
				method: method, params: body, typed: params == "", asJSON: asJSON, quiet: quiet, meta: meta, timeout: t.Timeout, task: task,
			})
		},
	}
	cmd.Flags().StringVar(&tool, "tool", "", "call the tool `NAME` (the method is tools/call)")
	cmd.Flags().StringVar(&params, "params", "", "params as a `JSON` object, @FILE with one, or - for standard input")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object with the result or error, times and server information")
	cmd.Flags().StringArrayVar(&metas, "meta", nil, "add the member `KEY=JSON` to _meta of the request; may be repeated")
	cmd.Flags().BoolVar(&quiet, "quiet", false, "print no progress and no notes about the call")
	flags.CompleteNothing(cmd, "tool", "params", "meta")
	task.register(cmd)
	t.Register(cmd)
	return cmd
}

func callParams(ctx context.Context, env *console.Env, tool, params string, args []string) (method string, body json.RawMessage, err error) {
	if tool == "" {
		if len(args) == 0 {
			return "", nil, console.Usagef("no method: specify one, such as tools/list, or a tool with --tool")
		}
		method, args = args[0], args[1:]
		if method == "" {
			return "", nil, console.Usagef("no method: the name is empty")
		}
	}
	if params != "" {
		if len(args) > 0 {
			return "", nil, console.Usagef("--params and arguments (%s) cannot be combined", args[0])
		}
		if body, err = readParams(ctx, env, params); err != nil {
			return "", nil, err
		}
	} else if len(args) > 0 || tool != "" {
		if body, err = parseArgs(ctx, env, args); err != nil {
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
		return "", nil, console.Usagef("--tool: %v", err)
	}
	return mcp.MethodToolsCall, body, nil
}

// In bytes.
const maxShown = 200

// --params is a JSON object, @FILE with one, or -.
func readParams(ctx context.Context, env *console.Env, params string) (json.RawMessage, error) {
	text, where := []byte(params), ""
	if file, isFile := strings.CutPrefix(params, "@"); isFile || params == "-" {
		var err error
		if text, err = env.ReadFile(ctx, "--params", file); err != nil {
			return nil, err
		}
		where = " " + params
	}
	var object map[string]json.RawMessage
	if err := framing.Unmarshal(text, &object); err != nil || object == nil {
		return nil, console.Usagef("--params%s: must be a JSON object, not %.*s", where, maxShown, text)
	}
	return text, nil
}

type callRequest struct {
	method  string
	params  json.RawMessage
	typed   bool // the params are arguments on the command line
	asJSON  bool
	quiet   bool
	meta    map[string]json.RawMessage // in params already
	timeout time.Duration
	task    taskFlags
}

func sendRequest(ctx context.Context, env *console.Env, t flags.Target, r callRequest) error {
	return live.With(ctx, env, t, func(ctx context.Context, l *live.Session) error {
		if !r.quiet {
			warnMeta(env, l.Status().Server.Era, r.meta)
		}
		params, err := r.task.params(ctx, l.Session, r.method, r.params)
		if err != nil {
			return err
		}
		r.params = params
		begin := time.Now()
		call := &sending{env: env, l: l, r: r, task: taskReport{env: env, quiet: r.quiet}, copied: copied{out: env.Stdout}}
		resp, err := call.send(ctx)
		if err != nil {
			return unreadHint(err)
		}
		took := time.Since(begin)
		looks := framing.Pick(resp.Result, "isError", "resultType", "inputRequests") // all that is read of a large result
		call.note()
		gaveUp := call.gaveUp(looks)
		pages := requiredPages(resp.Error)
		isError := resp.Error == nil && reportsError(looks)
		printErr := printResponse(env, l, r, resp, isError || gaveUp != nil, call, took)
		about, hint := "", ""
		if tool := toolCallOf(r.method, r.params, r.typed); tool != nil && (resp.Error != nil && pages == nil || isError) {
			about, hint = tool.advise(ctx, l.Session)
		}
		switch {
		case resp.Error != nil:
			err = fmt.Errorf("%s: %w", r.method, resp.Error)
			if pages == nil { // they were listed
				err = fmt.Errorf("%w%s", err, errorData(resp.Error))
			}
			if about != "" {
				err = fmt.Errorf("%w\n%s", err, about)
			}
			return console.Printed(console.WithHint(&console.ResponseError{Err: err}, cmp.Or(hint, call.hint, callHint(resp.Error, r, about))), printErr)
		case gaveUp != nil:
			return console.Printed(gaveUp, printErr)
		case isError && about+hint != "":
			return console.Printed(console.WithHint(&console.ResponseError{Err: errors.New(strings.TrimSpace("the tool returned an error\n" + about))}, hint), printErr)
		case isError:
			return console.Printed(&console.ResponseError{Err: errors.New("the tool returned an error"), Printed: true}, printErr)
		}
		return printErr
	})
}

func unreadHint(err error) error {
	if why, ok := errors.AsType[*session.UnreadError](err); ok && why.Limit > 0 {
		return console.WithHint(err, "a larger --line-limit")
	}
	return err
}

func reportsError(result json.RawMessage) bool {
	var r struct {
		IsError bool `json:"isError"`
	}
	return json.Unmarshal(result, &r) == nil && r.IsError
}

// CallDocument is the JSON of call; see docs/reference/json.md.
type CallDocument struct {
	Method    string            `json:"method"`
	Tool      string            `json:"tool,omitempty"`
	OK        bool              `json:"ok"`
	Duration  int64             `json:"duration_us"`
	Person    int64             `json:"person_us,omitempty"`
	Server    string            `json:"server,omitempty"`
	Era       string            `json:"era,omitempty"`
	Protocol  string            `json:"protocol,omitempty"`
	Recording string            `json:"recording,omitempty"`
	N         uint64            `json:"n"`
	Rounds    []uint64          `json:"rounds,omitempty"`
	Task      *TaskDocument     `json:"task,omitempty"`
	Result    json.RawMessage   `json:"result,omitempty"`
	Error     *session.RPCError `json:"error,omitempty"`
}

// With --json it is a document with the result or the error.
func printResponse(env *console.Env, l *live.Session, r callRequest, resp session.Response, failed bool, call *sending, took time.Duration) error {
	if !r.asJSON {
		if resp.Error != nil {
			return nil
		}
		if resp.Long != nil {
			return call.copied.end()
		}
		return env.PrintJSON(resp.Result)
	}
	server := l.Status().Server
	doc := CallDocument{
		Method: r.method, OK: resp.Error == nil && !failed, Duration: took.Microseconds(), Person: call.person(),
		Server: strings.TrimSpace(server.Name + " " + server.Version), Era: server.Era.String(), Protocol: server.Protocol,
		Recording: l.Log.Path(), N: resp.N, Rounds: call.rounds(), Task: call.task.document(), Result: resp.Result, Error: resp.Error,
	}
	if tool := toolCallOf(r.method, r.params, r.typed); tool != nil {
		doc.Tool = tool.tool
	}
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false) // keep the result as the server wrote it
	if err := to.Encode(doc); err != nil {
		return fmt.Errorf("print the response: %w", err)
	}
	return env.PrintJSON(bytes.TrimSpace(text.Bytes()))
}

func errorData(e *session.RPCError) string {
	if len(e.Data) == 0 {
		return ""
	}
	return " " + string(e.Data)
}

// callHint is for an error about which nothing else is known; about is what is known.
func callHint(e *session.RPCError, r callRequest, about string) string {
	switch {
	case about != "":
	case e.Code == mcp.CodeInvalidParams && r.typed:
		return "NAME:=JSON for numbers, booleans, arrays and objects (NAME=TEXT is always a string)"
	case e.Code == mcp.CodeMethodNotFound:
		return "mcpdbg list tools -- COMMAND to see what the server offers"
	}
	return ""
}
