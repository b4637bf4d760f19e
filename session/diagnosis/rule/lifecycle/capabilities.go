package lifecycle

import (
	"mcpdbg/framing"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

type serverCapabilities uint32

const (
	known serverCapabilities = 1 << iota // there was a declaration
	tools
	toolsChanged
	prompts
	promptsChanged
	resourcesCap
	resourcesChanged
	subscribe
	logs
	completions
	tasksCap
	tasksList
	tasksCancel
	tasksCall     // tools/call may create a task
	tasksExtended // the extensions of the modern era
	skills
)

func (s serverCapabilities) has(want serverCapabilities) bool { return s&want == want }

func parseServer(object []byte) serverCapabilities {
	if !message.IsObject(object) {
		return 0
	}
	s := known
	for name, value := range framing.Members(object) {
		body := value.Of(object)
		if !message.IsObject(body) {
			continue
		}
		flag := func(member string, c serverCapabilities) {
			if string(message.Member(body, member)) == "true" {
				s |= c
			}
		}
		switch key(object, name) {
		case "tools":
			s |= tools
			flag("listChanged", toolsChanged)
		case "prompts":
			s |= prompts
			flag("listChanged", promptsChanged)
		case "resources":
			s |= resourcesCap
			flag("listChanged", resourcesChanged)
			flag("subscribe", subscribe)
		case "logging":
			s |= logs
		case "completions":
			s |= completions
		case "tasks":
			s |= parseTasks(body)
		case "extensions":
			if message.IsObject(message.Member(body, mcp.ExtensionTasks)) {
				s |= tasksExtended
			}
			if message.IsObject(message.Member(body, mcp.ExtensionSkills)) {
				s |= skills
			}
		}
	}
	return s
}

func parseTasks(object []byte) serverCapabilities {
	s := tasksCap
	if message.IsObject(message.Member(object, "list")) {
		s |= tasksList
	}
	if message.IsObject(message.Member(object, "cancel")) {
		s |= tasksCancel
	}
	if message.IsObject(message.Member(message.Member(message.Member(object, "requests"), "tools"), "call")) {
		s |= tasksCall
	}
	return s
}

// needs returns the capability that a method needs of the server, and its name; 0 if
// it needs none, or if the revision does not have the method. strict is false if -32601 may be about what the request names, or
// if a server with the capability need not have the method.
func needs(method, revision string) (c serverCapabilities, name string, strict bool) {
	if mcp.MethodIn(method, revision) == nil {
		return 0, "", false
	}
	switch method {
	case mcp.MethodToolsList:
		return tools, "tools", true
	case mcp.MethodToolsCall:
		return tools, "tools", false
	case methodPromptsList:
		return prompts, "prompts", true
	case mcp.MethodPromptsGet:
		return prompts, "prompts", false
	case methodResources:
		return resourcesCap, "resources", true
	case mcp.MethodReadResource, methodTemplates:
		return resourcesCap, "resources", false
	}
	if mcp.IsModern(revision) {
		switch method {
		case methodTasksGet, methodTasksUpdate, methodTasksCancel:
			return tasksExtended, "extensions " + mcp.ExtensionTasks, false
		case mcp.MethodSkillsList, mcp.MethodSkillsGet, mcp.MethodReadDirectory:
			return skills, "extensions " + mcp.ExtensionSkills, false
		case methodComplete:
			return completions, "completions", true
		}
		return 0, "", false
	}
	switch method {
	case methodSubscribe, methodUnsubscribe:
		return subscribe, "resources.subscribe", true
	case mcp.MethodSetLevel:
		return logs, "logging", true
	case methodComplete:
		if revision >= mcp.V20250326 { // before, there was no such capability
			return completions, "completions", true
		}
	case methodTasksList:
		return tasksList, "tasks.list", true
	case methodTasksCancel:
		return tasksCancel, "tasks.cancel", false
	case methodTasksGet, methodTasksResult:
		return tasksCap, "tasks", false
	}
	return 0, "", false
}

// declared returns what the server declared in the era of a revision, 0 if that is not
// known.
func (c *Checker) declared(revision string) serverCapabilities {
	switch {
	case mcp.IsModern(revision):
		return c.modern
	case mcp.IsLegacy(revision):
		return c.legacy
	}
	return 0
}

func (c *Checker) useOf(m *message.Message) {
	has := c.declared(m.Revision)
	if !has.has(known) {
		return
	}
	if need, name, _ := needs(m.Request.Method, m.Revision); !has.has(need) {
		c.found(cap01, m.At, diagnosis.Location{Method: m.Request.Method}, "the server did not declare %s", name)
	}
}

func (c *Checker) served(m *message.Message, r *message.Request) {
	has := c.declared(r.Revision)
	if !has.has(known) {
		return
	}
	if need, name, _ := needs(r.Method, r.Revision); !has.has(need) {
		c.found(cap02, m.At, diagnosis.Location{Method: r.Method}, "answered with a result, and %s is not declared", name)
	}
}

func (c *Checker) notServed(m *message.Message, r *message.Request, code int) {
	if code != mcp.CodeMethodNotFound {
		return
	}
	has := c.declared(r.Revision)
	if need, name, strict := needs(r.Method, r.Revision); strict && has.has(known|need) {
		c.report(cap02, diagnosis.Error, m.At, diagnosis.Location{Method: r.Method}, name+" is declared, and the method is answered with -32601")
	}
}

func (c *Checker) listChanged(m *message.Message, method string) {
	has := c.declared(m.Revision)
	if c.mixed() {
		has = 0
	}
	need, name := toolsChanged, "tools.listChanged"
	switch method {
	case notifyPrompts:
		need, name = promptsChanged, "prompts.listChanged"
	case notifyResources:
		need, name = resourcesChanged, "resources.listChanged"
	}
	if has.has(known) && !has.has(need) {
		c.found(cap03, m.At, diagnosis.Location{Method: method}, "%s is not declared", name)
	}
}

// lacks returns the name of the capability that a client needs for a request of the
// server and did not declare; "" if it declared all.
func lacks(client message.Capabilities, method string, params []byte, revision string) string {
	if !client.Has(message.Known) {
		return ""
	}
	need, name := message.Capabilities(0), ""
	switch method {
	case mcp.MethodRoots:
		need, name = message.Roots, "roots"
	case mcp.MethodSample:
		need, name = message.Sampling, "sampling"
		if client.Has(message.Sampling) && revision >= mcp.V20251125 && (message.Member(params, "tools") != nil || message.Member(params, "toolChoice") != nil) {
			need, name = message.SamplingTools, "sampling.tools"
		}
	case mcp.MethodElicit:
		need, name = message.Elicitation, "elicitation"
		if client.Has(message.Elicitation) && revision >= mcp.V20251125 {
			need, name = message.ElicitationForm, "elicitation.form"
			if message.Text(message.Member(params, "mode")) == "url" {
				need, name = message.ElicitationURL, "elicitation.url"
			}
		}
	case methodTasksGet, methodTasksResult, methodTasksCancel, methodTasksList:
		need, name = message.ClientTasks, "tasks"
	}
	if client.Has(need) {
		return ""
	}
	return name
}

func checkMissingCapability(c *Checker, m *message.Message, r *message.Request, code int) {
	if code != mcp.CodeMissingCapability || !r.Versioned {
		return
	}
	if data := message.Member(m.Of(m.Error), "data"); !message.IsObject(message.Member(data, "requiredCapabilities")) {
		where := about(r)
		where.Pointer = "/data"
		c.found(mod16, m.At, where, "no data.requiredCapabilities")
	}
}
