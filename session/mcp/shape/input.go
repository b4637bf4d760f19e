package shape

import "mcpdbg/session/mcp"

// A server asks a client for input: in requests of the legacy era, and in the
// inputRequests of results in the modern era.
var (
	message = obj(req("role", role), req("content", someSampled), itemMeta)

	someSampled = &Shape{kind: oneOrMore, elem: sampled, since: order(v2025)}

	preferences = obj(opt("hints", list(obj(opt("name", str)))), opt("costPriority", ratio), opt("speedPriority", ratio),
		opt("intelligencePriority", ratio))

	includeContext = &Shape{kind: text, values: []string{"none", "thisServer", "allServers"}, deprecated: []string{"thisServer", "allServers"}}

	sampleMembers = []member{
		req("messages", list(message)), opt("modelPreferences", preferences), opt("systemPrompt", str),
		opt("includeContext", includeContext), opt("temperature", num), req("maxTokens", whole),
		opt("stopSequences", list(str)), opt("metadata", bag),
		opt("tools", list(tool)).from(v2025),
		opt("toolChoice", obj(opt("mode", enum("auto", "required", "none")))).from(v2025),
		augment,
	}

	form = obj(req("type", enum("object")), req("properties", dict(bag)), opt("required", list(str)), opt("$schema", str))

	elicitForm = []member{req("message", str), req("requestedSchema", form), opt("mode", enum("form")).from(v2025), augment}
	elicitURL  = []member{req("message", str), req("url", str), req("mode", enum("url")), req("elicitationId", str).to(v2025), augment}

	sampleResult = []member{req("role", role), req("content", someSampled), req("model", str), opt("stopReason", str)}
	rootsResult  = []member{req("roots", list(obj(req("uri", str), opt("name", str), itemMeta)))}
	elicitResult = []member{req("action", enum("accept", "decline", "cancel")), opt("content", dict(&Shape{kind: primitive}))}
)

// elicitation returns the parameters of elicitation/create, which depend on the
// mode.
func elicitation(wrap func(...member) *Shape) *Shape {
	s := selectBy("mode", wrap(elicitForm...), is("form", wrap(elicitForm...)), is("url", wrap(elicitURL...)))
	s.since = order(v2025)
	return s
}

func asked(members ...member) *Shape { return obj(opt("_meta", meta)).with(members...) }

var (
	inputRequests = dict(selectBy("method", nil,
		is(mcp.MethodSample, obj(req("params", asked(sampleMembers...)))).deprecatedIn(vModern),
		is(mcp.MethodRoots, obj(opt("params", asked()))).deprecatedIn(vModern),
		is(mcp.MethodElicit, obj(req("params", elicitation(asked)))),
	))

	inputRequired = obj(opt("_meta", resultMeta), opt("inputRequests", inputRequests), opt("requestState", str))

	inputResponse = selectWith(is("action", asked(elicitResult...)), is("roots", asked(rootsResult...)), is("role", asked(sampleResult...)))

	inputResponses = dict(inputResponse)
)
