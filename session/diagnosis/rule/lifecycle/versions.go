package lifecycle

import (
	"bytes"
	"slices"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/mcp"
)

const maxSupported = 32

// versions is which revisions the client asked for, and which the server knows.
type versions struct {
	asked     string   // in the last initialize
	served    bool     // a request of the modern era has a result of it
	supported []string // of the result of server/discover; nil if not known
	refused   message.Place
	probed    bool // server/discover was sent
	absent    bool // server/discover is not known to the server
}

func (c *Checker) negotiated(m *message.Message, r *message.Request) {
	result := m.Of(m.Result)
	switch {
	case r.Method == mcp.MethodInitialize:
		c.order.pending--
		c.order.accepted = true
		c.legacy = parseServer(message.Member(result, "capabilities"))
		c.answeredVersion(m, message.Text(message.Member(result, "protocolVersion")))
		c.identity(m, diagnosis.Location{Method: r.Method, Pointer: "/serverInfo"}, message.Member(result, "serverInfo"))
	case r.Method == mcp.MethodDiscover:
		c.discovered(m, r)
	case !c.order.sent && !r.Versioned && r.Method != mcp.MethodPing:
		c.order.worked = true
	}
	if c.unsupported(r) && r.Method != mcp.MethodDiscover {
		c.found(mod07, m.At, about(r), "version %s is not supported, and has a result", message.Excerpt(r.Revision))
	}
	if mcp.IsModern(r.Revision) && (message.Member(result, "resultType") != nil || r.Method == mcp.MethodDiscover) {
		c.versions.served = true
		if c.versions.absent && r.Method != mcp.MethodDiscover {
			c.versions.absent = false
			c.found(mod08, c.versions.refused, diagnosis.Location{Method: mcp.MethodDiscover}, "answered with -32601, and %s with a result of the modern era", message.Excerpt(r.Method))
		}
	}
}

func (c *Checker) identity(m *message.Message, where diagnosis.Location, info []byte) {
	if !message.IsObject(info) {
		return
	}
	for _, name := range [...]string{"name", "version"} {
		if string(message.Member(info, name)) == `""` {
			c.found(lif09, m.At, diagnosis.Location{Method: where.Method, Pointer: where.Pointer + "/" + name}, "the %s of the server is empty", name)
		}
	}
}

func (c *Checker) answeredVersion(m *message.Message, version string) {
	v, where := &c.versions, diagnosis.Location{Method: mcp.MethodInitialize, Pointer: "/protocolVersion"}
	switch {
	case version == "": // missing, or not a string
	case !mcp.IsLegacy(version):
		c.found(lif07, m.At, where, "%s is not a revision with initialize", message.Excerpt(version))
	case version == v.asked:
		c.past.accept(version)
	case c.past.versions[v.asked]:
		c.found(lif08, m.At, where, "%s for %s, which it accepted in an earlier run", version, v.asked)
	}
}

func (p *Past) accept(version string) {
	if p.versions == nil {
		p.versions = make(map[string]bool)
	}
	p.versions[version] = true
}

func (c *Checker) discovered(m *message.Message, r *message.Request) {
	result := m.Of(m.Result)
	c.modern = parseServer(message.Member(result, "capabilities"))
	list := message.Member(result, "supportedVersions")
	if len(list) == 0 || list[0] != '[' {
		return
	}
	supported := []string{}
	for element := range framing.Elements(list) {
		if len(supported) == maxSupported {
			return
		}
		supported = append(supported, message.Text(element.Of(list)))
	}
	c.versions.supported = supported
	where := diagnosis.Location{Method: mcp.MethodDiscover, Pointer: "/supportedVersions"}
	switch {
	case len(supported) == 0:
		c.found(mod08, m.At, where, "no version is listed")
	case r.Versioned && !slices.Contains(supported, r.Revision):
		c.found(mod08, m.At, where, "%s is not listed, and the request with it has a result", message.Excerpt(r.Revision))
	}
}

// refusedInitialize checks the error for initialize. A server without the legacy era
// names the versions that it has.
func (c *Checker) refusedInitialize(m *message.Message) {
	c.order.pending--
	failure := m.Of(m.Error)
	data := message.Member(failure, "data")
	if !c.versions.served || isList(message.Member(data, "supported")) || bytes.Contains(failure, []byte(mcp.V20260728)) {
		return
	}
	c.found(mod12, m.At, diagnosis.Location{Method: mcp.MethodInitialize}, "the error has no data.supported")
}

func isList(token []byte) bool {
	return len(token) > 0 && token[0] == '[' && len(bytes.Trim(token, "[] \t\r\n")) > 0
}

func (c *Checker) versionRefused(m *message.Message, r *message.Request, code int) {
	where := about(r)
	switch {
	case code == mcp.CodeUnsupportedVersion:
		c.versions.served = c.versions.served || r.Versioned
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
			c.found(mod07, m.At, where, "-32022 without data.%s", strings.Join(missing, " and data."))
		}
	case r.Method == mcp.MethodDiscover && code == mcp.CodeMethodNotFound && !c.lost:
		c.versions.absent, c.versions.refused = true, m.At
	case c.unsupported(r):
		c.found(mod07, m.At, where, "version %s was refused with code %d", message.Excerpt(r.Revision), code)
	}
}

// unsupported reports whether the server said that it does not support the version of
// a request.
func (c *Checker) unsupported(r *message.Request) bool {
	return r.Versioned && c.versions.supported != nil && !slices.Contains(c.versions.supported, r.Revision)
}
