package message

import (
	"mcpdbg/session/mcp"
)

// Capabilities are what a client declares, in initialize or in the _meta of a
// request.
type Capabilities uint16

// The capabilities of clients that rules need. Known is set if there was a
// declaration at all.
const (
	Known Capabilities = 1 << iota
	Roots
	RootsListChanged
	Sampling
	SamplingTools
	Elicitation // in any mode
	ElicitationForm
	ElicitationURL
	ClientTasks
	TasksExtension // of the modern era
)

// Has reports whether all of the wanted capabilities are declared.
func (c Capabilities) Has(want Capabilities) bool { return c&want == want }

// ParseCapabilities reads the object that declares a client's capabilities. An
// empty elicitation object declares the form mode.
func ParseCapabilities(object []byte) Capabilities {
	if len(object) == 0 || object[0] != '{' {
		return 0
	}
	c := Known
	for name, body := range Members(object) {
		if body[0] != '{' { // such as null: not declared
			continue
		}
		switch string(name) {
		case "roots":
			c |= Roots
			if string(Member(body, "listChanged")) == "true" {
				c |= RootsListChanged
			}
		case "sampling":
			c |= Sampling
			if declares(body, "tools") {
				c |= SamplingTools
			}
		case "elicitation":
			c |= Elicitation
			form, url := declares(body, "form"), declares(body, "url")
			if form || !url {
				c |= ElicitationForm
			}
			if url {
				c |= ElicitationURL
			}
		case "tasks":
			c |= ClientTasks
		case "extensions":
			if declares(body, mcp.ExtensionTasks) {
				c |= TasksExtension
			}
		}
	}
	return c
}

func declares(object []byte, name string) bool {
	value := Member(object, name)
	return len(value) > 0 && value[0] == '{'
}
