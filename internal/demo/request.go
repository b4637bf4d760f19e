package demo

import (
	"context"
	"encoding/json"
	"strconv"
)

type request struct {
	s      *server
	id     json.RawMessage
	method string
	params json.RawMessage
	// "" before the handshake. Revisions are dates, so they compare as strings.
	revision string
	meta     requestMeta
	caps     clientCapabilities
	// inputs and state are in the retry of a modern request that was answered by a
	// question.
	inputs map[string]json.RawMessage
	state  string
	// task is the task that a legacy call is to become.
	task *struct {
		TTL float64 `json:"ttl"`
	}
	runs *task // the task that it runs as; nil for others
}

type requestMeta struct {
	ProgressToken   json.RawMessage     `json:"progressToken"`
	ProtocolVersion *string             `json:"io.modelcontextprotocol/protocolVersion"`
	Capabilities    *clientCapabilities `json:"io.modelcontextprotocol/clientCapabilities"`
	LogLevel        string              `json:"io.modelcontextprotocol/logLevel"`
}

type clientCapabilities struct {
	Roots       *struct{} `json:"roots"`
	Sampling    *struct{} `json:"sampling"`
	Elicitation *struct {
		Form *struct{} `json:"form"`
		URL  *struct{} `json:"url"`
	} `json:"elicitation"`
	Extensions map[string]json.RawMessage `json:"extensions"`
}

func (s *server) newRequest(m message) *request {
	r := &request{s: s, id: m.ID, method: m.Method, params: m.Params}
	var common struct {
		Meta   requestMeta                `json:"_meta"`
		Inputs map[string]json.RawMessage `json:"inputResponses"`
		State  string                     `json:"requestState"`
		Task   *struct {
			TTL float64 `json:"ttl"`
		} `json:"task"`
	}
	// Params of another shape are rejected by the method itself.
	_ = json.Unmarshal(m.Params, &common)
	r.meta, r.inputs, r.state, r.task = common.Meta, common.Inputs, common.State, common.Task
	if r.meta.ProtocolVersion != nil {
		r.revision = *r.meta.ProtocolVersion
		if r.meta.Capabilities != nil {
			r.caps = *r.meta.Capabilities
		}
		return r
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r.revision, r.caps = s.legacy.revision, s.legacy.caps
	return r
}

// modern reports the era: a modern request names its revision in _meta.
func (r *request) modern() bool { return r.meta.ProtocolVersion != nil }

// handshake reports whether the response to r opens a session.
func (r *request) handshake() bool {
	return r.method == "initialize" || r.method == "server/discover"
}

func (r *request) takesTime() bool {
	if r.method != "tools/call" {
		return r.method == "tasks/result"
	}
	var call struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(r.params, &call)
	t, ok := toolByName(call.Name)
	return ok && t.slow
}

// decode reads missing params as an empty object.
func (r *request) decode(v any) error {
	if len(r.params) == 0 {
		return nil
	}
	if err := json.Unmarshal(r.params, v); err != nil {
		return errorf(codeInvalidParams, "params of %s: %v", r.method, err)
	}
	return nil
}

// A method serves one era or both.
type method struct {
	legacy, modern bool
	cacheable      bool // its modern result carries ttlMs and cacheScope
	call           func(s *server, ctx context.Context, r *request) (any, error)
}

var methods = map[string]method{
	"initialize":               {legacy: true, call: (*server).initialize},
	"ping":                     {legacy: true, call: (*server).ping},
	"logging/setLevel":         {legacy: true, call: (*server).setLevel},
	"resources/subscribe":      {legacy: true, call: (*server).subscribe},
	"resources/unsubscribe":    {legacy: true, call: (*server).unsubscribe},
	"server/discover":          {modern: true, cacheable: true, call: (*server).discover},
	"subscriptions/listen":     {modern: true, call: (*server).listen},
	"tools/list":               {legacy: true, modern: true, cacheable: true, call: (*server).listTools},
	"tools/call":               {legacy: true, modern: true, call: (*server).callTool},
	"prompts/list":             {legacy: true, modern: true, cacheable: true, call: (*server).listPrompts},
	"prompts/get":              {legacy: true, modern: true, call: (*server).getPrompt},
	"resources/list":           {legacy: true, modern: true, cacheable: true, call: (*server).listResources},
	"resources/templates/list": {legacy: true, modern: true, cacheable: true, call: (*server).listTemplates},
	"resources/read":           {legacy: true, modern: true, cacheable: true, call: (*server).readResource},
	"completion/complete":      {legacy: true, modern: true, call: (*server).complete},
	"tasks/get":                {legacy: true, modern: true, call: (*server).getTask},
	"tasks/result":             {legacy: true, call: (*server).taskResult},
	"tasks/update":             {modern: true, call: (*server).updateTask},
	"tasks/cancel":             {legacy: true, modern: true, call: (*server).cancelTask},
}

// perform checks that r is allowed in its era and state.
func (s *server) perform(ctx context.Context, r *request) (any, error) {
	m, known := methods[r.method]
	if !known {
		return nil, errorf(codeMethodNotFound, "no method %q", r.method)
	}
	if r.modern() {
		if err := r.checkMeta(); err != nil {
			return nil, err
		}
		if !m.modern {
			return nil, errorf(codeMethodNotFound, "no method %q in revision %s", r.method, modernRevision)
		}
		return m.call(s, ctx, r)
	}
	if !m.legacy || (r.revision == "" && r.method != "initialize" && r.method != "ping") {
		return nil, errorf(codeInvalidParams, "%s needs _meta with %s (revision %s), or initialize first (%s and before)",
			r.method, metaVersion, modernRevision, legacyRevisions[0])
	}
	return m.call(s, ctx, r)
}

// progress does nothing unless r's sender requested it.
func (r *request) progress(done, total float64, text string) {
	if r.meta.ProgressToken == nil {
		return
	}
	params := object{"progressToken": r.meta.ProgressToken, "progress": done, "total": total}
	if r.revision >= "2025-03-26" {
		params["message"] = text
	}
	r.s.notify("notifications/progress", params)
}

// page returns the entries from first up to last of n, and the cursor of the next page,
// "" if this is the last one.
func (r *request) page(n, size int) (first, last int, next string, err error) {
	var params struct {
		Cursor *string `json:"cursor"`
	}
	if err := r.decode(&params); err != nil {
		return 0, 0, "", err
	}
	// The empty string is a valid cursor in 2026-07-28. The server never sends it, so it
	// means the beginning.
	if params.Cursor != nil && *params.Cursor != "" {
		first, err = parseCursor(*params.Cursor)
		if err != nil || first <= 0 || first >= n {
			return 0, 0, "", errorf(codeInvalidParams, "no such cursor %q", *params.Cursor)
		}
	}
	last = min(first+size, n)
	if last < n {
		next = cursorPrefix + strconv.Itoa(last)
	}
	return first, last, next, nil
}

// cursorPrefix makes cursors look opaque.
const cursorPrefix = "after-"

func parseCursor(cursor string) (int, error) {
	if len(cursor) < len(cursorPrefix) || cursor[:len(cursorPrefix)] != cursorPrefix {
		return 0, strconv.ErrSyntax
	}
	return strconv.Atoi(cursor[len(cursorPrefix):])
}

func listResult[T any](r *request, key string, entries []T, size int, show func(T) object) (any, error) {
	first, last, next, err := r.page(len(entries), size)
	if err != nil {
		return nil, err
	}
	shown := make([]object, 0, last-first)
	for _, entry := range entries[first:last] {
		shown = append(shown, show(entry))
	}
	result := object{key: shown}
	if next != "" {
		result["nextCursor"] = next
	}
	return result, nil
}
