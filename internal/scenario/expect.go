package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/rule"
	"mcpdbg/session/mcp"
)

type judgement struct {
	*runner
	ctx      context.Context
	step     *Step
	out      outcome
	problems []Problem
}

func (r *runner) judge(ctx context.Context, step *Step, out outcome, found problemsBefore) []Problem {
	j := &judgement{runner: r, ctx: ctx, step: step, out: out}
	switch {
	case out.err != nil:
		j.add(r.failure(step, out.err))
	case out.problem != nil:
		j.add(*out.problem)
	case out.kind == anAnswer && j.answer():
		j.value()
	case out.kind == params:
		j.value()
	}
	if out.err == nil && out.problem == nil {
		j.within()
		j.exit()
	}
	j.newProblems(found)
	if len(j.problems) > 0 && (out.rpc != nil || isToolError(out.value)) {
		j.missingTool()
	}
	return j.problems
}

// listLimit is the time for tools/list after a failed call.
const listLimit = 10 * time.Second

// missingTool puts the tool that the server does not have before the other problems. It
// asks the server, as the tools may have changed since they were listed.
func (j *judgement) missingTool() {
	call := j.step
	if b := j.calls[j.step.Of]; b != nil {
		call = b.step
	}
	if call.Tool == "" {
		return
	}
	ctx, cancel := context.WithTimeout(j.background, listLimit)
	defer cancel()
	list, _ := mcp.ListOf(mcp.MethodToolsList)
	items, err := j.sess.ListAll(ctx, list)
	if err != nil {
		return
	}
	var names []string
	for _, item := range items {
		var tool struct{ Name string }
		if json.Unmarshal(item, &tool) == nil {
			names = append(names, tool.Name)
		}
	}
	if slices.Contains(names, call.Tool) {
		return
	}
	p := Problem{Check: "tool", Place: j.step.Place, Text: "the server has no tools"}
	if len(names) > 0 {
		p.Text = fmt.Sprintf("the server has no tool %s; it has %s", call.Tool, wording.ListNear(call.Tool, names))
	}
	j.problems = slices.Insert(j.problems, 0, j.hide.problem(p))
}

func (j *judgement) add(p Problem) {
	switch {
	case len(j.problems) > maxDiffs:
		return
	case len(j.problems) == maxDiffs:
		p = Problem{Check: p.Check, Text: "more problems are not listed"}
	}
	if (p.Place == Place{}) {
		p.Place = j.place(p.Check)
	}
	p = j.hide.problem(p)
	switch {
	case p.Text != "":
	case p.Input != "":
		p.Text = p.Check + ": " + p.Want + " gives " + p.Got + " for " + p.Input
	default:
		p.Text = p.Check + wording.IfAny(" ", p.Pointer) + ": expected " + p.Want + ", got " + p.Got
	}
	j.problems = append(j.problems, p)
}

func (j *judgement) place(check string) Place {
	if at, said := j.step.Expect.Places[check]; said {
		return at
	}
	return j.step.Place
}

// answer reports whether the response is of the expected kind. An expected error becomes
// the value.
func (j *judgement) answer() bool {
	e, rpc := &j.step.Expect, j.out.rpc
	switch {
	case e.Error == nil && rpc != nil:
		j.add(Problem{Check: "error", Want: "a result", Got: rpc.Error() + wording.IfAny(" ", string(rpc.Data))})
		return false
	case e.Error != nil && rpc == nil:
		got := "the result " + resultText(j.out.value)
		if isToolError(j.out.value) {
			got = "a result with isError (use expect: {isError: true})" + wording.IfAny(": ", toolText(j.out.value))
		}
		j.add(Problem{Check: "error", Want: j.wanted(e.Error), Got: got})
		return false
	case e.Error != nil:
		value, err := json.Marshal(rpc)
		if err != nil {
			j.add(Problem{Check: "error", Text: "error: " + err.Error()})
			return false
		}
		j.out.value = value
		j.rpc(e.Error)
		return true
	}
	j.isError()
	return true
}

func (j *judgement) wanted(p *ErrorPattern) string {
	text := "an error"
	if p.Code != nil {
		text = fmt.Sprintf("error %d", *p.Code)
	}
	if p.Message != "" {
		text += " with a message matching /" + p.Message + "/"
	}
	return text
}

func (j *judgement) rpc(want *ErrorPattern) {
	got := j.out.rpc
	if want.Code != nil && *want.Code != got.Code {
		j.add(Problem{Check: "error", Pointer: "/code", Want: fmt.Sprint(*want.Code), Got: fmt.Sprintf("%d: %s", got.Code, got.Message)})
	}
	if want.Message == "" {
		return
	}
	re, err := compileRegexp(want.Message)
	switch {
	case err != nil:
		j.add(Problem{Check: "error", Pointer: "/message", Text: "error: " + err.Error()})
	case !re.MatchString(beginning(got.Message)):
		j.add(Problem{Check: "error", Pointer: "/message", Want: "a match of /" + want.Message + "/", Got: string(quoteJSON(got.Message))})
	}
}

func (j *judgement) isError() {
	e := &j.step.Expect
	var said struct{ IsError json.RawMessage } // true, false, or a variable
	is, want := isToolError(j.out.value), false
	switch {
	case e.IsError != nil:
		want = *e.IsError
	case e.Result != nil && json.Unmarshal(e.Result, &said) == nil && said.IsError != nil:
		return // result checks it
	}
	if is == want {
		return
	}
	p := Problem{Check: "isError", Pointer: "/isError", Want: fmt.Sprint(want), Got: fmt.Sprint(is)}
	if is {
		p.Got += wording.IfAny(": ", toolText(j.out.value))
	}
	j.add(p)
}

func isToolError(result []byte) bool {
	var r struct{ IsError bool }
	return json.Unmarshal(result, &r) == nil && r.IsError
}

func toolText(result []byte) string {
	var r struct{ Content []struct{ Text string } }
	if json.Unmarshal(result, &r) != nil {
		return ""
	}
	for _, c := range r.Content {
		if c.Text != "" {
			return c.Text
		}
	}
	return ""
}

func (j *judgement) value() {
	j.result()
	j.schema()
	if len(j.step.Expect.JQ)+len(j.step.Capture) == 0 {
		return
	}
	value, err := decodeForJQ(j.out.value)
	if err != nil {
		j.add(Problem{Check: "jq", Text: "jq: the value cannot be parsed: " + err.Error()})
		return
	}
	for _, x := range j.step.Expect.JQ {
		j.jq(x, value)
	}
	for _, c := range j.step.Capture {
		j.capture(c, value)
	}
}

func (j *judgement) result() {
	if j.step.Expect.Result == nil {
		return
	}
	want, err := j.vars.json(j.step.Expect.Result)
	if err != nil {
		j.add(j.failure(j.step, err))
		return
	}
	diffs, err := subset(want, j.out.value)
	if err != nil {
		j.add(Problem{Check: "result", Text: "result: cannot be compared: " + err.Error()})
	}
	for _, d := range diffs {
		p := Problem{Check: "result", Pointer: d.pointer, Want: encode(d.want), Got: encode(d.got)}
		if d.missing {
			p.Got = "nothing"
		}
		if d.text != "" {
			p.Text = j.hide.short("result"+wording.IfAny(" ", d.pointer)) + ": " + d.text
		}
		j.add(p)
	}
}

func (j *judgement) schema() {
	if j.step.Expect.Schema == nil {
		return
	}
	found, err := violations(j.step.Expect.Schema, j.out.value)
	if err != nil {
		j.add(Problem{Check: "schema", Text: "schema: cannot be checked: " + j.hide.short(err.Error())})
	}
	for _, f := range found {
		j.add(Problem{Check: "schema", Pointer: f.Path, Got: f.Text,
			Text: j.hide.short("schema"+wording.IfAny(" ", f.Path)) + ": " + j.hide.short(f.Text)})
	}
}

func (j *judgement) jq(x Expression, value any) {
	got, ok, err := j.vars.holds(j.ctx, x.Text, value)
	switch {
	case err != nil:
		j.add(Problem{Check: "jq", Place: x.Place, Want: x.Text, Text: "jq: " + j.hide.short(x.Text) + ": " + j.hide.short(err.Error())})
	case !ok:
		j.add(Problem{Check: "jq", Place: x.Place, Want: x.Text, Got: got, Input: gives(withoutMeta(value))})
	}
}

func resultText(raw []byte) string {
	value, err := decodeJSON(raw)
	if err != nil {
		return string(raw)
	}
	return gives(withoutMeta(value))
}

// withoutMeta removes _meta for display: in the modern era it would hide everything else.
func withoutMeta(value any) any {
	members, ok := value.(map[string]any)
	if !ok || len(members) == 1 {
		return value
	}
	members = maps.Clone(members)
	delete(members, "_meta")
	return members
}

func (j *judgement) capture(c Capture, value any) {
	raw, err := j.vars.captured(j.ctx, c.Text, value)
	if err == nil {
		err = j.vars.keep(c.Name, raw)
	}
	if err != nil {
		j.add(Problem{Check: "capture", Place: c.Place, Want: c.Text,
			Text: "capture " + c.Name + ": " + j.hide.short(c.Text) + ": " + j.hide.short(err.Error())})
	}
}

func (j *judgement) within() {
	if limit := j.step.Expect.Within; limit > 0 && j.out.took > limit {
		j.add(Problem{Check: "within", Want: limit.String(), Got: j.out.took.Round(10 * time.Microsecond).String(),
			Text: fmt.Sprintf("within: the limit is %v, took %v", limit, j.out.took.Round(10*time.Microsecond))})
	}
}

func (j *judgement) exit() {
	want, got := j.step.Expect.Exit, j.out.exit
	if want == nil || got == nil {
		return
	}
	if how := session.DescribeExit(*got); how != fmt.Sprintf("exit code %d", *want) {
		j.add(Problem{Check: "exit", Want: fmt.Sprintf("exit code %d", *want), Got: how})
	}
}

// problemsBefore counts the problems at one moment, in order.
type problemsBefore []int

// problemsBefore checks the log, so it is only called for steps that expect no new
// problems.
func (r *runner) problemsBefore(ctx context.Context, step *Step) problemsBefore {
	if step.Expect.Problems == "" {
		return nil
	}
	var counts problemsBefore
	for _, f := range r.lookForProblems(ctx) {
		counts = append(counts, f.Count)
	}
	return counts
}

func (r *runner) lookForProblems(ctx context.Context) []diagnosis.Problem {
	if r.checker == nil {
		r.checker = rule.New(r.log)
	}
	now := r.log.Now()
	r.checker.Advance(ctx, math.MaxInt, math.MaxInt)
	r.checker.Tick(now)
	return r.checker.Problems()
}

// newProblems reports problems that are new, or occurred again, since the step began. The
// step's timeout may have expired.
func (j *judgement) newProblems(before problemsBefore) {
	least := diagnosis.Warning
	switch j.step.Expect.Problems {
	case "":
		return
	case diagnosis.Error.String():
		least = diagnosis.Error
	}
	for i, f := range j.lookForProblems(j.background) {
		if f.Severity < least || i < len(before) && before[i] == f.Count {
			continue
		}
		text := fmt.Sprintf("%s %s, entry %d: %s%s", f.Severity, f.Rule.ID, f.N, f.Rule.Title, wording.IfAny(": ", f.Detail))
		j.add(Problem{Check: "findings", Want: "none", Got: f.Rule.ID, Text: "findings: " + j.hide.Text(text)})
	}
}
