package contents

import (
	"fmt"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/mcp"
)

// unsafeSchemes are those of icons that clients must reject.
var unsafeSchemes = []string{"javascript", "file", "ftp", "ws", "wss", "vbscript"}

// iconsOf checks the icons of the current value, which exist since 2025-11-25.
func (s *spot) iconsOf(icons []byte) {
	if !isArray(icons) || !s.since(mcp.V20251125) {
		return
	}
	s.each("/icons", icons, func(icon []byte) {
		src, ok := textOf(framing.Member(icon, "src").Of(icon))
		if ok {
			s.icon(string(src))
		}
	})
}

func (s *spot) icon(src string) {
	scheme, _, found := strings.Cut(src[:min(len(src), maxExcerpt)], ":")
	scheme = strings.ToLower(scheme)
	switch {
	case found && (scheme == "https" || scheme == "data"):
		return
	case !found:
		s.found(sch10, "/src", fmt.Sprintf("src %q is not a URL", excerpt(src)))
		return
	}
	severity := sch10.Severity
	for _, bad := range unsafeSchemes {
		if scheme == bad {
			severity = diagnosis.Error
		}
	}
	s.foundAs(sch10, severity, "/src", fmt.Sprintf("src has the scheme %s, not https or data: %s", excerpt(scheme), excerpt(src)))
}

// implementation checks what a client or a server says about itself, at a member of
// the current value.
func (s *spot) implementation(member string, raw []byte) {
	if !isObject(raw) {
		return
	}
	s.enter(member)
	s.iconsOf(framing.Member(raw, "icons").Of(raw))
	s.leave()
}
