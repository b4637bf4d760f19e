package shapes

import (
	"mcpdbg/framing"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/mcp"
)

// capabilities checks the names of the capabilities that a message declares.
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

// declared checks one object of capabilities.
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
