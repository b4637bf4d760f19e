package replay

import (
	"fmt"
	"slices"

	"mcpdbg/session/mcp"
)

const (
	skipUnsent   = "not delivered in the recording either"
	skipCancel   = "cancels a request that was not sent"
	skipProgress = "progress for an unknown server request"
)

// gate decides whether an item is safe to send.
func (p *Plan) gate(it *Item) {
	if it.Skip != "" {
		return
	}
	switch {
	case it.Kind == Raw:
		for _, tool := range it.tools {
			if safe, _ := p.safe(tool); !safe && !it.named {
				it.Skip = notReadOnly(tool)
			}
		}
	case it.isCall():
		safe, known := p.safe(it.Tool)
		if it.named {
			safe, known = true, true
		}
		it.Unsure = !known
		if known && !safe {
			it.Skip = notReadOnly(it.Tool)
		}
	case it.Kind == Request && p.opts.Latest != 0 && !p.opts.AllTools && !mcp.IsReadOnly(it.Method):
		it.Skip = mayChange(it.Method)
	}
}

// Gated reports whether an item is skipped, or may be, only because it is not known to
// be read-only: then Options.Tools and Options.AllTools decide.
func (it *Item) Gated() bool {
	if it.isCall() {
		return it.Unsure || it.Skip == notReadOnly(it.Tool)
	}
	if it.Kind == Raw {
		return slices.ContainsFunc(it.tools, func(tool string) bool { return it.Skip == notReadOnly(tool) })
	}
	return it.Kind == Request && it.Skip == mayChange(it.Method)
}

// Calls returns the tools that an item calls: several if it is raw bytes with several
// requests.
func (it *Item) Calls() []string {
	if it.isCall() {
		return []string{it.Tool}
	}
	return it.tools
}

// isCall reports whether the server's current list can decide on an item.
func (it *Item) isCall() bool { return it.Kind == Request && it.Method == mcp.MethodToolsCall }

func notReadOnly(tool string) string {
	return fmt.Sprintf("the server does not mark the tool %s as read-only", tool)
}

func mayChange(method string) string {
	return fmt.Sprintf("%s is not known to be read-only", method)
}

func (p *Plan) safe(tool string) (safe, known bool) {
	if p.allowed(tool) {
		return true, true
	}
	safe, known = p.tools[tool]
	return safe, known
}

func (p *Plan) allowed(tool string) bool {
	return p.opts.AllTools || slices.Contains(p.opts.Tools, tool)
}

// whyNotIn returns why a method can't be used in an era, "" if it can.
func whyNotIn(era mcp.Era, method string) string {
	newest, known := map[mcp.Era]string{mcp.Legacy: mcp.LatestLegacy, mcp.Modern: mcp.Latest}[era]
	if !known || len(mcp.LookUp(method)) == 0 || mcp.MethodIn(method, newest) != nil {
		return ""
	}
	return fmt.Sprintf("%s does not exist in the %s era", method, era)
}
