package shapes

import (
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/mcp"
)

func (s *sheet) capabilities(value []byte) {
	const inMeta = "/_meta/io.modelcontextprotocol~1clientCapabilities"
	switch {
	case s.method == mcp.MethodInitialize || s.method == mcp.MethodDiscover && !s.params:
		s.declared(framing.Member(value, "capabilities").Of(value), "/capabilities", side(s.m.FromServer))
	case s.params && mcp.IsModern(s.revision) && !s.m.FromServer:
		meta := framing.Member(value, "_meta").Of(value)
		s.declared(framing.Member(meta, mcp.MetaClientCapabilities).Of(meta), inMeta, mcp.ByClient)
	}
}

func (s *sheet) declared(object []byte, pointer string, by mcp.Sender) {
	if len(object) == 0 || object[0] != '{' {
		return
	}
	for key, value := range framing.Members(object) {
		name := object[key.Start+1 : key.End-1]
		if string(name) == "extensions" {
			s.extensionIDs(value.Of(object), pointer+"/extensions")
		}
		switch known := mcp.CapabilityOf(string(name)); {
		case known == nil:
			s.found(cap08, diagnosis.Info, "", pointer, clip(string(name))+" is not a capability of any revision")
		case known.By&by == 0:
			s.found(cap08, cap08.Severity, "", pointer+"/"+known.Name, known.Name+" is a capability of "+sideNames[known.By])
		}
	}
}

var sideNames = map[mcp.Sender]string{mcp.ByClient: "clients", mcp.ByServer: "servers", mcp.ByBoth: "both sides"}

var cap10 = &diagnosis.Rule{ID: "CAP10", Severity: diagnosis.Error, Side: diagnosis.Both, Revisions: modern, Title: "extension id without a prefix",
	Explanation: "A key of the capability extensions has no prefix. Name an extension by a reversed domain name of yours, a slash and its name, such as com.example/notes.",
	Reference:   "versioning, extension negotiation; extensions: {vendor-prefix}/{extension-name}",
	Impact:      "the other side rejects the capabilities or ignores the extension, and two extensions may get the same id"}

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
