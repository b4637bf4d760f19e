package probe

import (
	"encoding/json"
	"path"
	"strings"

	"mcpdbg/internal/wording"
)

type tool struct {
	Name        string          `json:"name"`
	Input       json.RawMessage `json:"inputSchema"`
	Annotations struct {
		ReadOnly    *bool `json:"readOnlyHint"`
		Destructive *bool `json:"destructiveHint"`
		OpenWorld   *bool `json:"openWorldHint"`
	} `json:"annotations"`
	Execution struct {
		TaskSupport string `json:"taskSupport"`
	} `json:"execution"`
}

const maxTools = 500

// Other items are skipped: the rules report them.
func toolsOf(items []json.RawMessage) []tool {
	var all []tool
	for _, item := range items {
		var t tool
		if json.Unmarshal(item, &t) == nil && t.Name != "" {
			all = append(all, t)
		}
	}
	return all
}

// risk returns why a tool is not called unless allowed, or "". Without a hint the
// specification assumes: destructive, unless read-only, and open to the world.
// readOnlyHint alone is never enough: it is a claim of the server.
func (t *tool) risk() string {
	a := &t.Annotations
	readOnly := a.ReadOnly != nil && *a.ReadOnly
	switch {
	case a.Destructive != nil && *a.Destructive:
		return "destructiveHint is true"
	case a.Destructive == nil && !readOnly:
		return "no destructiveHint, which means true"
	case a.OpenWorld != nil && *a.OpenWorld:
		return "openWorldHint is true"
	case a.OpenWorld == nil:
		return "no openWorldHint, which means true"
	}
	return ""
}

func (o *Check) allowed(name string) bool {
	for _, pattern := range o.Allow {
		if pattern == name {
			return true
		}
		if ok, err := path.Match(pattern, name); ok && err == nil {
			return true
		}
	}
	return false
}

// Why not called, or "".
type choice struct {
	tool
	why string
}

func (o *Check) choose(tools []tool) []choice {
	var all []choice
	for i, t := range tools {
		c := choice{tool: t}
		risk := t.risk()
		switch {
		case o.NoCalls:
			c.why = "no calls (--no-calls)"
		case i >= maxTools:
			c.why = "more than " + wording.Plural(maxTools, "tool")
		case t.Execution.TaskSupport == "required":
			c.why = "it can be called only as a task"
		case risk != "" && !o.allowed(t.Name):
			c.why = risk + " (--allow-calls)"
		}
		all = append(all, c)
	}
	return all
}

// told is shown before any tool is called.
func told(all []choice) string {
	var calls, not []string
	for _, c := range all {
		if c.why == "" {
			calls = append(calls, c.Name)
		} else {
			not = append(not, c.Name)
		}
	}
	text := "calls " + listed(calls)
	if len(not) > 0 {
		text += "; does not call " + listed(not)
	}
	return text
}

const maxTold = 40

func listed(names []string) string {
	switch {
	case len(names) == 0:
		return "no tool"
	case len(names) > maxTold:
		return strings.Join(names[:maxTold], ", ") + " and " + wording.Plural(len(names)-maxTold, "other tool")
	}
	return strings.Join(names, ", ")
}
