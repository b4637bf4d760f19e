package shapes

import (
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/mcp"
)

var cap10 = &diagnosis.Rule{ID: "CAP10", Severity: diagnosis.Error, Side: diagnosis.Both, Revisions: modern, Title: "extension id without a prefix",
	Explanation: "A key of the capability extensions has no prefix. Name an extension by a reversed domain name of yours, a slash and its name, such as com.example/notes.",
	Reference:   "versioning, extension negotiation; extensions: {vendor-prefix}/{extension-name}",
	Impact:      "the other side rejects the capabilities or ignores the extension, and two extensions may get the same id"}

// extensionIDs checks the keys of the capability extensions.
func (s *sheet) extensionIDs(extensions []byte, pointer string) {
	if !mcp.IsModern(s.revision) || len(extensions) == 0 || extensions[0] != '{' {
		return
	}
	for key := range framing.Members(extensions) {
		id := string(extensions[key.Start+1 : key.End-1])
		if prefix, name, _ := strings.Cut(id, "/"); prefix == "" || name == "" {
			s.found(cap10, cap10.Severity, "", pointer, "the extension is called "+clip(id))
		}
	}
}
