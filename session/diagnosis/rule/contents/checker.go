// Package contents has the rules for single messages: which side sends which method, the
// shape of messages, and the contents of lists and results: names, schemas, content
// blocks, forms. A [Checker] reads the raw bytes of a message once from the outside in
// and decodes only what a rule needs.
package contents

import (
	"bytes"
	"hash/maphash"

	"mcpdbg/framing"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

// A Checker checks the messages of one process. It is a message.Checker.
type Checker struct {
	report   message.Report
	checking messageChecker // reused for each message
	revision string         // the last known one of a message
	lists    lists
	asks     asks

	// schemas and values that were not checked because of a limit
	skipped int
	// results of tools that are not in a list that is out of date
	unlisted int
}

// New returns a checker for a process that starts.
func New(report message.Report) *Checker {
	return &Checker{report: report, lists: lists{seed: maphash.MakeSeed()}}
}

// Skipped returns how many schemas and values were not checked, because a limit was
// reached or the schema has patterns that cannot be matched.
func (c *Checker) Skipped() int { return c.skipped }

// Unlisted returns how many results were not checked against the schema of their tool,
// because the last list does not have it and is out of date.
func (c *Checker) Unlisted() int { return c.unlisted }

// Request checks a request.
func (c *Checker) Request(m *message.Message) {
	params := m.Of(m.Params)
	if !isObject(params) {
		params = nil // another rule reports params of another type
	}
	s := c.begin(m, "")
	s.metaOf(params)
	if m.FromServer {
		c.serverRequest(s, params, m.At.Row)
		return
	}
	switch method := string(s.sent); method {
	case mcp.MethodToolsCall:
		c.checkArguments(s, params)
	case mcp.MethodToolsList, mcp.MethodPromptsList, mcp.MethodListResources, mcp.MethodListTemplates:
		c.lists.ask(kindOf(method), params, m.At.Row)
	case mcp.MethodInitialize:
		s.implementation("/clientInfo", message.Member(params, "clientInfo"))
	}
	if s.modern() && bytes.Contains(params, []byte(`"inputResponses"`)) {
		c.checkInputResponses(s, params)
	}
}

func (c *Checker) serverRequest(s *messageChecker, params []byte, row int) {
	switch string(s.sent) {
	case mcp.MethodElicit:
		s.elicitation(params)
		c.asks.keep(row, params)
	case mcp.MethodSample:
		s.sampling(params)
	}
}

// Notification checks a notification.
func (c *Checker) Notification(m *message.Message) {
	params := m.Of(m.Params)
	method := m.Of(m.Method)
	if m.FromServer {
		c.lists.changed(method)
	}
	updated := m.FromServer && string(method) == "notifications/resources/updated"
	if !isObject(params) || !updated && !mentionsMeta(params) {
		return // nearly every notification
	}
	s := c.begin(m, "")
	s.metaOf(params)
	if updated {
		s.uri("/uri", message.Member(params, "uri"))
	}
}

// Response checks the response to a request.
func (c *Checker) Response(m *message.Message, request *message.Request) {
	s := c.begin(m, request.Method)
	if m.Kind == framing.ErrorResponse {
		if m.FromServer {
			s.urlsRequired(m.Of(m.Error))
		}
		return
	}
	raw := m.Of(m.Result)
	if !isObject(raw) {
		return
	}
	result := readResult(raw)
	s.meta(result.meta)
	if m.FromServer {
		c.serverResult(s, request, &result)
		return
	}
	switch request.Method {
	case mcp.MethodRoots:
		s.rootsResult(result.roots)
	case mcp.MethodElicit:
		if form, ok := c.asks.remove(request.At.Row); ok && result.task == nil {
			c.checkAnswer(s, form, raw)
		}
	case mcp.MethodSample:
		s.enter("/content")
		s.blocks(result.content)
		s.leave()
	}
}

func (c *Checker) serverResult(s *messageChecker, request *message.Request, result *result) {
	if result.inputRequests != nil && s.modern() {
		c.inputRequests(s, request, result)
		return
	}
	switch request.Method {
	case mcp.MethodToolsCall:
		s.name = clip(request.Name)
		c.toolResult(s, request.Name, result)
	case mcp.MethodToolsList, mcp.MethodPromptsList, mcp.MethodListResources, mcp.MethodListTemplates:
		c.listResult(s, kindOf(request.Method), request, result)
	case mcp.MethodReadResource:
		s.name = clip(request.Name)
		s.each("/contents", result.contents, s.resourceContents)
	case mcp.MethodPromptsGet:
		s.name = clip(request.Name)
		s.each("/messages", result.messages, s.promptMessage)
	case "completion/complete":
		s.completion(result.completion)
	case mcp.MethodInitialize, mcp.MethodDiscover:
		s.implementation("/serverInfo", result.serverInfo)
		c.lists.declare(result.capabilities)
	case "tasks/result":
		s.enter("/content")
		s.blocks(result.content)
		s.leave()
	}
}

// Due returns when Elapse has something to find.
func (c *Checker) Due() int64 { return c.lists.due() }

// Elapse finds what is due by now.
func (c *Checker) Elapse(now int64) {
	if now >= c.lists.due() {
		p := c.lists.pending
		c.lists.pending = unannouncedList{}
		p.check.found(tol12, "/tools", p.detail)
	}
}

// End finds nothing: an announcement that is still due may only be late.
func (c *Checker) End() {}
