package replay

import (
	"fmt"
	"slices"

	"mcpdbg/session/mcp"
)

// What is said of items that are not sent.
const (
	skipUnsent   = "the recorded server did not get it either"
	skipCancel   = "it cancels what was not sent"
	skipProgress = "it tells of progress to nobody"
)

// gate decides whether an item is safe to send.
func (p *Plan) gate(it *Item) {
	if it.Skip != "" {
		return
	}
	switch {
	case it.Kind == Raw:
		for _, tool := range it.tools {
			if safe, _ := p.safe(tool); !safe {
				it.Skip = notReadOnly(tool)
			}
		}
	case it.isCall():
		safe, known := p.safe(it.Tool)
		it.Unsure = !known
		if known && !safe {
			it.Skip = notReadOnly(it.Tool)
		}
	case it.Kind == Request && p.opts.Latest != 0 && !p.opts.AllTools && !mcp.OnlyReads(it.Method):
		it.Skip = mayChange(it.Method)
	}
}

// Gated tells whether an item is not sent, or not for sure, only because it is
// not known to only read: then Options.Tools and Options.AllTools decide.
func (it *Item) Gated() bool {
	if it.isCall() {
		return it.Unsure || it.Skip == notReadOnly(it.Tool)
	}
	if it.Kind == Raw {
		return slices.ContainsFunc(it.tools, func(tool string) bool { return it.Skip == notReadOnly(tool) })
	}
	return it.Kind == Request && it.Skip == mayChange(it.Method)
}

// Calls returns the tools that an item calls: several, where it is raw bytes with
// several requests.
func (it *Item) Calls() []string {
	if it.isCall() {
		return []string{it.Tool}
	}
	return it.tools
}

// isCall tells whether an item is one call of one tool, so that the server's
// list of today can decide on it.
func (it *Item) isCall() bool { return it.Kind == Request && it.Method == mcp.MethodToolsCall }

func notReadOnly(tool string) string {
	return fmt.Sprintf("the server does not say that the tool %s is read-only", tool)
}

func mayChange(method string) string {
	return fmt.Sprintf("%s is no request that is known to only read", method)
}

// safe tells whether a tool may be called, as far as the recording knows.
func (p *Plan) safe(tool string) (safe, known bool) {
	if p.allowed(tool) {
		return true, true
	}
	safe, known = p.tools[tool]
	return safe, known
}

// allowed tells whether somebody has said that a tool may be called.
func (p *Plan) allowed(tool string) bool {
	return p.opts.AllTools || slices.Contains(p.opts.Tools, tool)
}

// bygone are the methods that the other era does not have.
var bygone = map[mcp.Era][]string{
	mcp.Modern: {"ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe", "notifications/roots/list_changed", "tasks/list", "tasks/result"},
	mcp.Legacy: {"server/discover", "subscriptions/listen", "tasks/update"},
}

// notIn says that a method does not exist in an era, "" if it does.
func notIn(era mcp.Era, method string) string {
	if !slices.Contains(bygone[era], method) {
		return ""
	}
	return fmt.Sprintf("%s is not of the %s era", method, era)
}
