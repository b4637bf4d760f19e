package contents

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

func (s *messageChecker) annotations(raw []byte) {
	if !isObject(raw) {
		return
	}
	for name, value := range message.Members(raw) {
		switch string(name) {
		case "priority":
			if number, err := strconv.ParseFloat(string(value), 64); err == nil && (number < 0 || number > 1) {
				s.found(sch06, "/annotations/priority", fmt.Sprintf("priority is %s, which is not between 0 and 1", message.Excerpt(value)))
			}
		case "audience":
			s.audience(value)
		case "lastModified":
			if text, ok := textOf(value); ok && s.since(mcp.V20250618) && !isTimestamp(string(text)) {
				s.found(sch06, "/annotations/lastModified", fmt.Sprintf("lastModified is %q, which is not a timestamp of ISO 8601", message.Excerpt(text)))
			}
		}
	}
}

func (s *messageChecker) audience(roles []byte) {
	if !isArray(roles) {
		return
	}
	for raw := range message.Elements(roles) {
		role, ok := textOf(raw)
		if ok && string(role) != "user" && string(role) != "assistant" {
			s.found(sch06, "/annotations/audience", fmt.Sprintf("audience has %q; only user and assistant are roles", message.Excerpt(role)))
			return
		}
	}
}

// timestamps are the common forms of ISO 8601. time.Parse also accepts a fraction of
// a second.
var timestamps = []string{
	"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02", "2006-01-02T15:04Z07:00", "2006-01-02T15:04",
	"2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07", "20060102T150405Z0700", "20060102T150405Z07:00", "20060102T150405", "20060102", "2006-01", "2006", "2006-002",
}

// isTimestamp reports whether a text is a date, or a date and time, of ISO 8601.
// Of dates by week only the beginning is checked.
func isTimestamp(text string) bool {
	for _, layout := range timestamps {
		if _, err := time.Parse(layout, text); err == nil {
			return true
		}
	}
	return len(text) > 5 && text[4] == '-' && text[5] == 'W'
}

// unsafeSchemes are those of icons that clients must reject.
var unsafeSchemes = []string{"javascript", "file", "ftp", "ws", "wss", "vbscript"}

// iconsOf checks the icons of the current value, which exist since 2025-11-25.
func (s *messageChecker) iconsOf(icons []byte) {
	if !isArray(icons) || !s.since(mcp.V20251125) {
		return
	}
	s.each("/icons", icons, func(icon []byte) {
		src, ok := textOf(message.Member(icon, "src"))
		if ok {
			s.icon(string(src))
		}
	})
}

func (s *messageChecker) icon(src string) {
	scheme, _, found := strings.Cut(src[:min(len(src), message.MaxExcerpt)], ":")
	scheme = strings.ToLower(scheme)
	switch {
	case found && (scheme == "https" || scheme == "data"):
		return
	case !found:
		s.found(sch10, "/src", fmt.Sprintf("src %q is not a URL", message.Excerpt(src)))
		return
	}
	severity := sch10.Severity
	for _, bad := range unsafeSchemes {
		if scheme == bad {
			severity = diagnosis.Error
		}
	}
	s.foundAs(sch10, severity, "/src", fmt.Sprintf("src has the scheme %s, not https or data: %s", message.Excerpt(scheme), message.Excerpt(src)))
}

func (s *messageChecker) implementation(member string, raw []byte) {
	if !isObject(raw) {
		return
	}
	s.enter(member)
	s.iconsOf(message.Member(raw, "icons"))
	s.leave()
}
