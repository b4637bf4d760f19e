package lifecycle

import (
	"bytes"
	"slices"
	"strings"

	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

const maxSupported = 32

// versions is which revisions the client asked for, and which the server knows.
type versions struct {
	c         *Checker
	asked     string   // in the last initialize
	served    bool     // a request of the modern era has a result of it
	supported []string // of the result of server/discover; nil if not known
	refused   message.Place
	probed    bool // server/discover was sent
	absent    bool // server/discover is not known to the server
}

func (v *versions) negotiated(m *message.Message, r *message.Request) {
	result := m.Of(m.Result)
	switch {
	case r.Method == mcp.MethodInitialize:
		v.c.order.pending--
		v.c.order.accepted = true
		v.c.legacy = parseServer(message.Member(result, "capabilities"))
		v.answered(m, message.Text(message.Member(result, "protocolVersion")))
		v.identity(m, diagnosis.Location{Method: r.Method, Pointer: "/serverInfo"}, message.Member(result, "serverInfo"))
	case r.Method == mcp.MethodDiscover:
		v.discovered(m, r)
	case !v.c.order.sent && !r.Versioned && r.Method != mcp.MethodPing:
		v.c.order.worked = true
	}
	if v.unsupported(r) && r.Method != mcp.MethodDiscover {
		v.c.found(mod07, m.At, about(r), "version %s is not supported, and has a result", message.Excerpt(r.Revision))
	}
	if mcp.IsModern(r.Revision) && (message.Member(result, "resultType") != nil || r.Method == mcp.MethodDiscover) {
		v.served = true
		if v.absent && r.Method != mcp.MethodDiscover {
			v.absent = false
			v.c.found(mod08, v.refused, diagnosis.Location{Method: mcp.MethodDiscover}, "answered with -32601, and %s with a result of the modern era", message.Excerpt(r.Method))
		}
	}
}

func (v *versions) identity(m *message.Message, where diagnosis.Location, info []byte) {
	if !message.IsObject(info) {
		return
	}
	for _, name := range [...]string{"name", "version"} {
		if string(message.Member(info, name)) == `""` {
			v.c.found(lif09, m.At, diagnosis.Location{Method: where.Method, Pointer: where.Pointer + "/" + name}, "the %s of the server is empty", name)
		}
	}
}

func (v *versions) answered(m *message.Message, version string) {
	where := diagnosis.Location{Method: mcp.MethodInitialize, Pointer: "/protocolVersion"}
	switch {
	case version == "": // missing, or not a string
	case !mcp.IsLegacy(version):
		v.c.found(lif07, m.At, where, "%s is not a revision with initialize", message.Excerpt(version))
	case version == v.asked:
		if v.c.past.versions == nil {
			v.c.past.versions = make(map[string]bool)
		}
		v.c.past.versions[version] = true
	case v.c.past.versions[v.asked]:
		v.c.found(lif08, m.At, where, "%s for %s, which it accepted in an earlier run", version, v.asked)
	}
}

func (v *versions) discovered(m *message.Message, r *message.Request) {
	result := m.Of(m.Result)
	v.c.modern = parseServer(message.Member(result, "capabilities"))
	list := message.Member(result, "supportedVersions")
	if len(list) == 0 || list[0] != '[' {
		return
	}
	supported := []string{}
	for element := range message.Elements(list) {
		if len(supported) == maxSupported {
			return
		}
		supported = append(supported, message.Text(element))
	}
	v.supported = supported
	where := diagnosis.Location{Method: mcp.MethodDiscover, Pointer: "/supportedVersions"}
	switch {
	case len(supported) == 0:
		v.c.found(mod08, m.At, where, "no version is listed")
	case r.Versioned && !slices.Contains(supported, r.Revision):
		v.c.found(mod08, m.At, where, "%s is not listed, and the request with it has a result", message.Excerpt(r.Revision))
	}
}

// refusedInitialize checks the error for initialize. A server without the legacy era
// names the versions that it has.
func (v *versions) refusedInitialize(m *message.Message) {
	v.c.order.pending--
	failure := m.Of(m.Error)
	data := message.Member(failure, "data")
	if !v.served || isList(message.Member(data, "supported")) || bytes.Contains(failure, []byte(mcp.V20260728)) {
		return
	}
	v.c.found(mod12, m.At, diagnosis.Location{Method: mcp.MethodInitialize}, "the error has no data.supported")
}

func isList(token []byte) bool {
	return len(token) > 0 && token[0] == '[' && len(bytes.Trim(token, "[] \t\r\n")) > 0
}

func (v *versions) versionRefused(m *message.Message, r *message.Request, code int) {
	where := about(r)
	switch {
	case code == mcp.CodeUnsupportedVersion:
		v.served = v.served || r.Versioned
		data := message.Member(m.Of(m.Error), "data")
		var missing []string
		if !isList(message.Member(data, "supported")) {
			missing = append(missing, "supported")
		}
		if !isString(message.Member(data, "requested")) {
			missing = append(missing, "requested")
		}
		if missing != nil && r.Method != mcp.MethodInitialize {
			where.Pointer = "/data"
			v.c.found(mod07, m.At, where, "-32022 without data.%s", strings.Join(missing, " and data."))
		}
	case r.Method == mcp.MethodDiscover && code == mcp.CodeMethodNotFound && !v.c.lost:
		v.absent, v.refused = true, m.At
	case v.unsupported(r):
		v.c.found(mod07, m.At, where, "version %s was refused with code %d", message.Excerpt(r.Revision), code)
	}
}

// unsupported reports whether the server said that it does not support the version of
// a request.
func (v *versions) unsupported(r *message.Request) bool {
	return r.Versioned && v.supported != nil && !slices.Contains(v.supported, r.Revision)
}
