package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// A tool is one entry of tools/list and the function behind it.
type tool struct {
	name, title, description string
	input                    string // JSON Schema 2020-12
	output                   string // JSON Schema of structuredContent, "" for none
	hints                    string // annotations, a JSON object
	slow                     bool   // may take time: runs beside the reading
	surprise                 bool   // in the list only when it was toggled
	call                     func(ctx context.Context, r *request, args json.RawMessage) (any, error)
}

// toolPage is how many tools one page of tools/list has.
const toolPage = 6

// toolTable holds all tools, by name.
var toolTable = [...]tool{
	{name: "add", title: "Add two numbers", description: "Adds a and b and answers with text and structured content.",
		input: addInput, output: addOutput, hints: readOnly, call: callAdd},
	{name: "ask", title: "Ask the person", description: "Asks the client for a form with every type of field, or for a visit to a page (elicitation).",
		input: askInput, hints: changesNothing, slow: true, call: callAsk},
	{name: "big", title: "A big answer", description: "Answers with one text block of the given size.",
		input: bigInput, hints: readOnly, slow: true, call: callBig},
	{name: "book", title: "Book a journey", description: "A nested form: passengers, a trip, options. Books nothing.",
		input: bookInput, output: bookOutput, hints: changesData, call: callBook},
	{name: "echo", title: "Echo", description: "Answers with the message it was given.",
		input: echoInput, hints: readOnly, call: callEcho},
	{name: "env", title: "Environment names", description: "Lists the names of the server's environment variables, never their values.",
		input: noInput, output: envOutput, hints: readOnly, call: callEnv},
	{name: "fail", title: "Fail", description: "Fails in one of the ways a tool can: an isError result, a JSON-RPC error, a crash of the server.",
		input: failInput, hints: destructive, call: callFail},
	{name: "flood", title: "Flood", description: "Sends log notifications as fast as it can, then answers.",
		input: floodInput, hints: readOnly, slow: true, call: callFlood},
	{name: "log", title: "Log", description: "Sends log notifications of a level.",
		input: logInput, hints: readOnly, call: callLog},
	{name: "media", title: "Every kind of content", description: "Answers with a block of each type: text, image, audio, link, embedded resource.",
		input: noInput, hints: readOnly, call: callMedia},
	{name: "roots", title: "List roots", description: "Asks the client for its roots.",
		input: noInput, hints: readOnly, slow: true, call: callRoots},
	{name: "sample", title: "Ask a model", description: "Asks the client to have its model answer a prompt (sampling).",
		input: sampleInput, hints: openWorld, slow: true, call: callSample},
	{name: "slow", title: "Take time", description: "Takes some seconds, tells its progress and can be cancelled.",
		input: slowInput, hints: readOnly, slow: true, call: callSlow},
	{name: "surprise", title: "Surprise", description: "A tool that comes and goes: see touch.",
		input: noInput, hints: readOnly, surprise: true, call: callSurprise},
	{name: "touch", title: "Change something", description: "Changes the clock resource, or a list, so that the server tells of it.",
		input: touchInput, hints: changesData, call: callTouch},
}

func toolByName(name string) (tool, bool) {
	for _, t := range toolTable {
		if t.name == name {
			return t, true
		}
	}
	return tool{}, false
}

// show gives the tool as an entry of tools/list in a revision.
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
	return entry
}

func (s *server) listTools(_ context.Context, r *request) (any, error) {
	var shown []tool
	for _, t := range toolTable {
		if !t.surprise || s.hasExtra("tools") {
			shown = append(shown, t)
		}
	}
	return listResult(r, "tools", shown, toolPage, func(t tool) object { return s.showTool(t, r.revision) })
}

// hasExtra says whether a list has its surprise entry.
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
	return t.call(ctx, r, params.Arguments)
}

// arguments reads a tool's arguments strictly. It gives nil when they are
// good, else what to return: revision 2025-11-25 made bad arguments a result
// that a model can read, before that they were a JSON-RPC error.
func (r *request) arguments(args json.RawMessage, v any) (refusal any, err error) {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return r.refuse("bad arguments: %v", err)
	}
	return nil, nil
}

// refuse is how a tool turns down its arguments.
func (r *request) refuse(format string, a ...any) (any, error) {
	if r.revision < "2025-11-25" {
		return nil, errorf(codeInvalidParams, format, a...)
	}
	return failure(format, a...), nil
}

// textResult is a tool result of one text block.
func textResult(text string) object {
	return object{"content": []object{{"type": "text", "text": text}}}
}

// failure is a tool result that tells of an error.
func failure(format string, a ...any) object {
	result := textResult(fmt.Sprintf(format, a...))
	result["isError"] = true
	return result
}

// structured is a tool result with structured content, and the same as text
// for clients that know no better.
func structured(r *request, value object) object {
	result := textResult(string(bytes.TrimSpace(encode(value))))
	if r.revision >= "2025-06-18" {
		result["structuredContent"] = value
	}
	return result
}

// bigText is a tool result of one text block of so many bytes. It is written
// in pieces, so that a large answer costs no memory.
type bigText int

// bigPattern is what the text of a bigText repeats.
const bigPattern = "The quick brown fox jumps over the lazy dog. 0123456789abcdefgh "

func (b bigText) text() string {
	return strings.Repeat(bigPattern, int(b)/len(bigPattern)+1)[:b]
}

// sendBig writes the response with a bigText.
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
