package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mcpdbg/framing"
	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/probe/arguments"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// maxLate is how many calls in a row may time out before calling ends.
const maxLate = 3

// calls returns the call that is best to cancel.
func (p *process) calls(ctx context.Context, tools []tool) (slow slowCall) {
	if len(tools) == 0 {
		p.add(verify.Step{Name: verify.StepCall, Era: p.era.String()}, notApplicable("the server lists no tools"), p.number)
		return slow
	}
	chosen := p.opts.choose(tools)
	if !p.opts.NoCalls {
		p.opts.Tell(p.of.index, p.era.String()+" era: "+told(chosen))
	}
	late := 0
	for _, c := range chosen {
		if late == maxLate {
			c.why = fmt.Sprintf("%d calls in a row got no response", maxLate)
		}
		var made slowCall
		p.step(ctx, verify.StepCall, c.Name, func(ctx context.Context) verdict {
			if c.why != "" {
				return notChecked(c.why)
			}
			p.listAgain(ctx)
			v, unanswered := p.call(ctx, &c.tool, &made)
			late = counted(late, unanswered)
			return v
		})
		if made.isBetter(&slow) {
			slow = made
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.opts.Args)) {
		if !slices.ContainsFunc(tools, func(t tool) bool { return t.Name == name }) {
			p.step(ctx, verify.StepCall, name, func(context.Context) verdict {
				return notChecked("--args has arguments for it, and the server does not list it")
			})
		}
	}
	return slow
}

func counted(late int, unanswered bool) int {
	if unanswered {
		return late + 1
	}
	return 0
}

// made is set if the tool responded.
func (p *process) call(ctx context.Context, t *tool, made *slowCall) (v verdict, unanswered bool) {
	args, given := p.opts.Args[t.Name]
	if !given {
		var err error
		if args, err = arguments.Generate(t.Input, t.Name, p.of.run.opts.Seed); err != nil {
			return notChecked("no arguments: " + err.Error() + " (--args FILE)"), false
		}
	}
	params, err := json.Marshal(struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}{t.Name, args})
	if err != nil {
		return notChecked("no arguments: " + err.Error()), false
	}
	var n uint64
	begin := time.Now()
	resp, err := p.request(ctx, mcp.MethodToolsCall, string(params), &n)
	switch {
	case errors.Is(err, session.ErrTimeout):
		return p.tooSlow(ctx).at(n), true
	case err != nil:
		return p.requestFailed(ctx, err).at(n), errors.Is(err, session.ErrEnded)
	}
	*made = slowCall{tool: t.Name, params: string(params), took: time.Since(begin)}
	if resp.Error != nil {
		return refused(resp.Error, given).at(n), false
	}
	return resulted(resp.Result, given).at(n), false
}

func refused(err *session.RPCError, given bool) verdict {
	switch {
	case err.Code == mcp.CodeInvalidParams && !given:
		return notChecked(fmt.Sprintf("it refused the generated arguments (--args FILE): %v", err))
	case err.Code == mcp.CodeMissingCapability, err.Code == codeURLRequired:
		return notChecked(fmt.Sprintf("it needs something that this client does not declare: %v", err))
	case err.Code == mcp.CodeInvalidParams, err.Code == mcp.CodeMethodNotFound:
		return failed(fmt.Sprintf("responded with the %v", err))
	}
	return doubtful(fmt.Sprintf("responded with the %v, instead of a result with isError", err))
}

// tooSlow judges a call that timed out: the tool may just be slow, if the server responds
// to something else.
func (p *process) tooSlow(ctx context.Context) verdict {
	if err := verify.Ping(ctx, p.made.Session, session.CallOptions{Timeout: p.opts.StepTimeout}); err != nil {
		p.hangs = true
		return p.requestFailed(ctx, fmt.Errorf("no response after %v, nor to the next request: %w", p.opts.StepTimeout, err))
	}
	return notChecked(fmt.Sprintf("no response after %v, while the server responds to other requests (--step-timeout)", p.opts.StepTimeout))
}

// codeURLRequired (2025-11-25) is for a call that needs a visit to a page.
const codeURLRequired = -32042

func resulted(raw json.RawMessage, given bool) verdict {
	var result struct {
		Type    string `json:"resultType"`
		IsError bool   `json:"isError"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if err := framing.Unmarshal(raw, &result); err != nil {
		return failed("the result cannot be read: " + err.Error())
	}
	switch {
	case result.Type == "input_required":
		return notChecked("it asks for input (--answers FILE)")
	case result.Type == "task":
		return notChecked("it goes on as a task, which is not followed")
	case !result.IsError:
		return passed("")
	}
	var texts []string
	for _, c := range result.Content {
		texts = append(texts, c.Text)
	}
	text := strings.TrimSpace("the tool reported an error: " + strings.Join(texts, " "))
	if given {
		return failed(text)
	}
	return passed(text)
}
