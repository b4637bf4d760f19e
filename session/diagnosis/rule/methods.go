package rule

import "slices"

// requestMethods are the request methods of all revisions and both sides.
var requestMethods = []string{
	"initialize", "server/discover", "ping",
	"tools/list", "tools/call",
	"resources/list", "resources/templates/list", "resources/read", "resources/subscribe", "resources/unsubscribe",
	"subscriptions/listen",
	"prompts/list", "prompts/get",
	"completion/complete", "logging/setLevel",
	"sampling/createMessage", "roots/list", "elicitation/create",
	"tasks/get", "tasks/result", "tasks/cancel", "tasks/list", "tasks/update",
}

func isRequestMethod(name []byte) bool {
	return slices.ContainsFunc(requestMethods, func(known string) bool { return known == string(name) })
}

// waitsLong reports whether the response to a method may take any time, so that it
// is never late.
func waitsLong(method string) bool {
	return method == "subscriptions/listen" || method == "tasks/result"
}
