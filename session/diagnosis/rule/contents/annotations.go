package contents

import (
	"fmt"
	"strconv"
	"time"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// annotations checks the annotations of the current value: of a resource, a resource
// template or a content block.
func (s *spot) annotations(raw []byte) {
	if !isObject(raw) {
		return
	}
	for name, at := range framing.Members(raw) {
		value := at.Of(raw)
		switch string(raw[name.Start+1 : name.End-1]) {
		case "priority":
			if number, err := strconv.ParseFloat(string(value), 64); err == nil && (number < 0 || number > 1) {
				s.found(sch06, "/annotations/priority", fmt.Sprintf("priority is %s, which is not between 0 and 1", excerpt(string(value))))
			}
		case "audience":
			s.audience(value)
		case "lastModified":
			if text, ok := textOf(value); ok && s.since(mcp.V20250618) && !isTimestamp(string(text)) {
				s.found(sch06, "/annotations/lastModified", fmt.Sprintf("lastModified is %q, which is not a timestamp of ISO 8601", excerpt(string(text))))
			}
		}
	}
}

// audience checks the roles that a value is meant for.
func (s *spot) audience(roles []byte) {
	if !isArray(roles) {
		return
	}
	for at := range framing.Elements(roles) {
		role, ok := textOf(at.Of(roles))
		if ok && string(role) != "user" && string(role) != "assistant" {
			s.found(sch06, "/annotations/audience", fmt.Sprintf("audience has %q; only user and assistant are roles", excerpt(string(role))))
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
