package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

type tool struct {
	name, title, description string
	input                    string // JSON Schema 2020-12
	output                   string // JSON Schema of structuredContent, "" for none
	hints                    string // annotations, a JSON object
	slow                     bool   // may take time: runs concurrently
	surprise                 bool   // only listed when toggled on by touch
	task                     string // whether it runs as a task: "", "optional" or "required"
	call                     toolFunc
}

type toolFunc func(ctx context.Context, r *request, args json.RawMessage) (any, error)

const toolPage = 6

var toolTable = [...]tool{
	{name: "add", title: "Add two numbers", description: "Adds a and b and answers with text and structured content.",
		input: addInput, output: addOutput, hints: readOnly, call: withArguments(addArgs{}, callAdd)},
	{name: "ask", title: "Ask the person", description: "Asks the client for a form with every type of field, or for a visit to a page (elicitation).",
		input: askInput, hints: changesNothing, slow: true, call: withArguments(askArgs{Mode: "form"}, callAsk)},
	{name: "big", title: "A big answer", description: "Answers with one text block of the given size.",
		input: bigInput, hints: readOnly, slow: true, call: withArguments(bigArgs{Bytes: 1 << 20}, callBig)},
	{name: "book", title: "Book a journey", description: "A nested form: passengers, a trip, options. Books nothing.",
		input: bookInput, output: bookOutput, hints: changesData, call: withArguments(journey{}, callBook)},
	{name: "echo", title: "Echo", description: "Answers with the message it was given.",
		input: echoInput, hints: readOnly, call: withArguments(echoArgs{}, callEcho)},
	{name: "env", title: "Environment names", description: "Lists the names of the server's environment variables, never their values.",
		input: noInput, output: envOutput, hints: readOnly, call: withArguments(struct{}{}, callEnv)},
	{name: "fail", title: "Fail", description: "Fails in one of the ways a tool can: an isError result, a JSON-RPC error, a crash of the server.",
		input: failInput, hints: destructive, call: withArguments(failArgs{Kind: "isError"}, callFail)},
	{name: "flood", title: "Flood", description: "Sends log notifications as fast as it can, then answers.",
		input: floodInput, hints: readOnly, slow: true, call: withArguments(floodArgs{Count: 10000, Bytes: 205}, callFlood)},
	{name: "job", title: "Do a job", description: "Works for some seconds as a task, and can ask, fail and be forgotten.",
		input: jobInput, hints: changesNothing, slow: true, task: "required", call: withArguments(jobArgs{Seconds: 4, End: "ok"}, callJob)},
	{name: "log", title: "Log", description: "Sends log notifications of a level.",
		input: logInput, hints: readOnly, call: withArguments(logArgs{Level: "info", Message: "a log message", Count: 1}, callLog)},
	{name: "media", title: "Every kind of content", description: "Answers with a block of each type: text, image, audio, link, embedded resource.",
		input: noInput, hints: readOnly, call: withArguments(struct{}{}, callMedia)},
	{name: "roots", title: "List roots", description: "Asks the client for its roots.",
		input: noInput, hints: readOnly, slow: true, call: withArguments(struct{}{}, callRoots)},
	{name: "sample", title: "Ask a model", description: "Asks the client to have its model answer a prompt (sampling).",
		input: sampleInput, hints: openWorld, slow: true, call: withArguments(sampleArgs{Prompt: "Write a haiku about pipes.", MaxTokens: 100}, callSample)},
	{name: "slow", title: "Take time", description: "Takes some seconds, tells its progress and can be cancelled.",
		input: slowInput, hints: readOnly, slow: true, task: "optional", call: withArguments(slowArgs{Seconds: 2, Steps: 4}, callSlow)},
	{name: "surprise", title: "Surprise", description: "A tool that comes and goes: see touch.",
		input: noInput, hints: readOnly, surprise: true, call: withArguments(struct{}{}, callSurprise)},
	{name: "touch", title: "Change something", description: "Changes the clock resource, or a list, so that the server sends a notification.",
		input: touchInput, hints: changesData, call: withArguments(touchArgs{What: "clock"}, callTouch)},
}

func toolByName(name string) (tool, bool) {
	for _, t := range toolTable {
		if t.name == name {
			return t, true
		}
	}
	return tool{}, false
}

func (t tool) show(revision string) object {
	entry := object{"name": t.name, "description": t.description, "inputSchema": json.RawMessage(t.input)}
	if revision >= "2025-03-26" {
		entry["annotations"] = json.RawMessage(t.hints)
	}
	if revision >= "2025-06-18" {
		entry["title"] = t.title
		if t.output != "" {
			entry["outputSchema"] = json.RawMessage(t.output)
		}
	}
	if t.task != "" && revision >= "2025-11-25" && revision != modernRevision {
		entry["execution"] = object{"taskSupport": t.task}
	}
	return entry
}

func (s *server) listTools(_ context.Context, r *request) (any, error) {
	var shown []tool
	for _, t := range toolTable {
		if !t.surprise || s.hasExtra("tools") {
			shown = append(shown, t)
		}
	}
	return listResult(r, "tools", shown, toolPage, func(t tool) object {
		entry := t.show(r.revision)
		if s.opts.Changed && t.name == changedTool {
			entry["inputSchema"] = json.RawMessage(slowInputChanged)
		}
		return entry
	})
}

// hasExtra reports whether a list has its surprise entry.
func (s *server) hasExtra(list string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.extra[list]
}

func (s *server) callTool(ctx context.Context, r *request) (any, error) {
	var params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := r.decode(&params); err != nil {
		return nil, err
	}
	t, known := toolByName(params.Name)
	if !known || (t.surprise && !s.hasExtra("tools")) {
		return nil, errorf(codeInvalidParams, "no tool %q", params.Name)
	}
	s.logf("call %s (id %s)", params.Name, r.id)
	asTask, err := t.runsAsTask(r)
	switch {
	case err != nil:
		return nil, err
	case asTask:
		return s.startTask(r, t, params.Arguments)
	}
	return t.call(ctx, r, params.Arguments)
}

// withArguments decodes the arguments strictly, over the defaults, and rejects invalid
// ones.
func withArguments[A any](defaults A, call func(ctx context.Context, r *request, args A) (any, error)) toolFunc {
	return func(ctx context.Context, r *request, raw json.RawMessage) (any, error) {
		args := defaults
		if len(raw) == 0 {
			raw = json.RawMessage("{}")
		}
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&args); err != nil {
			return r.refuse("bad arguments: %v", err)
		}
		return call(ctx, r, args)
	}
}

// refuse rejects arguments: since revision 2025-11-25 by a result that a model can read,
// before that by a JSON-RPC error.
func (r *request) refuse(format string, a ...any) (any, error) {
	if r.revision < "2025-11-25" {
		return nil, errorf(codeInvalidParams, format, a...)
	}
	return failure(format, a...), nil
}

func textResult(text string) object {
	return object{"content": []object{{"type": "text", "text": text}}}
}

func failure(format string, a ...any) object {
	result := textResult(fmt.Sprintf(format, a...))
	result["isError"] = true
	return result
}

// structured repeats the content as text for older clients.
func structured(r *request, value object) object {
	result := textResult(string(bytes.TrimSpace(encode(value))))
	if r.revision >= "2025-06-18" {
		result["structuredContent"] = value
	}
	return result
}

// bigText is a result of one text block of that many bytes, written in pieces to save
// memory.
type bigText int

const bigPattern = "The quick brown fox jumps over the lazy dog. 0123456789abcdefgh "

func (b bigText) text() string {
	return strings.Repeat(bigPattern, int(b)/len(bigPattern)+1)[:b]
}

func (s *server) sendBig(r *request, size bigText) {
	const mark = "@"
	line := encode(s.response(r, textResult(mark), nil))
	before, after, _ := bytes.Cut(line, []byte(`"`+mark+`"`))
	block := []byte(strings.Repeat(bigPattern, 1024))
	_ = s.out.hold(func(w io.Writer) error {
		if _, err := w.Write(append(before, '"')); err != nil {
			return err
		}
		for left := int(size); left > 0; left -= len(block) {
			if _, err := w.Write(block[:min(left, len(block))]); err != nil {
				return err
			}
		}
		_, err := w.Write(append([]byte{'"'}, after...))
		return err
	})
}

// The differences of a server with Options.Changed: one schema of tools/list, and one
// result.
const (
	changedTool      = "slow"
	slowInputChanged = `{` + dialect + `,"type":"object","properties":{
		"seconds":{"type":"number","title":"Seconds in all","minimum":0,"maximum":3600,"default":2},
		"steps":{"type":"integer","title":"Steps","minimum":1,"maximum":100,"default":4}
	},"additionalProperties":false}`
	sumError = 1
)
