package shape

import "mcpdbg/session/mcp"

// Short names of the revisions, for the tables.
const (
	v2024   = mcp.V20241105
	vMarch  = mcp.V20250326
	vJune   = mcp.V20250618
	v2025   = mcp.V20251125
	vModern = mcp.V20260728
)

var (
	// meta is _meta of anything but a request.
	meta = bag

	requestMeta = obj(opt("progressToken", id))

	modernMeta = requestMeta.with(
		req(mcp.MetaProtocolVersion, str),
		opt(mcp.MetaClientInfo, implementation),
		req(mcp.MetaClientCapabilities, clientCapabilities),
		opt(mcp.MetaLogLevel, level).deprecatedIn(vModern),
	)

	resultMeta = obj(opt(mcp.MetaServerInfo, implementation).from(vModern))

	noticeMeta = obj(opt(mcp.MetaSubscriptionID, id).from(vModern))

	// itemMeta is _meta of the parts of messages.
	itemMeta = opt("_meta", meta).from(vJune)

	title = opt("title", str).from(vJune)
	icons = opt("icons", list(icon)).from(v2025)

	role  = enum("user", "assistant")
	level = enum(mcp.LogLevels()...)

	icon = obj(req("src", str), opt("mimeType", str), opt("sizes", list(str)), opt("theme", enum("light", "dark")))

	implementation = obj(req("name", str), title, req("version", str), icons,
		opt("description", str).from(v2025), opt("websiteUrl", str).from(v2025))

	annotations = obj(opt("audience", list(role)), opt("priority", ratio), opt("lastModified", str).from(vJune))
)

func params(members ...member) *Shape {
	return obj(opt("_meta", requestMeta).to(mcp.LatestLegacy), req("_meta", modernMeta).from(vModern)).with(members...)
}

// retried is params of a request that a client of the modern era sends again with the
// input that the server asked for.
func retried(members ...member) *Shape {
	return params(members...).with(opt("inputResponses", inputResponses).from(vModern), opt("requestState", str).from(vModern))
}

func notice(members ...member) *Shape { return obj(opt("_meta", noticeMeta)).with(members...) }

// result is named by resultType in the modern era.
func result(members ...member) *Shape { return oneOfResults(nil, members) }

// answered is a result that may also ask for input or be the handle of a task of the
// modern era.
func answered(members ...member) *Shape {
	return oneOfResults([]variant{is("input_required", inputRequired), is("task", modernTask)}, members)
}

func oneOfResults(others []variant, members []member) *Shape {
	complete := obj(opt("_meta", resultMeta), req("resultType", str).from(vModern)).with(members...)
	s := selectBy("resultType", complete, append(others, is("complete", complete))...)
	s.since = order(vModern)
	return s
}

// cached are the members of results that a client of the modern era may keep.
var cached = []member{
	req("ttlMs", count).from(vModern),
	req("cacheScope", enum("public", "private")).from(vModern),
}

// listed returns the shape of the result of a list request.
func listed(items string, item *Shape) *Shape {
	return result(append([]member{req(items, list(item)), opt("nextCursor", str)}, cached...)...)
}
