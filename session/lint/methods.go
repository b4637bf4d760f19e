package lint

import "slices"

// requestMethods are the requests of all revisions, of either side.
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

// waitsLong tells whether the answer to a method comes when something ends, so
// that it is never late.
func waitsLong(method string) bool {
	return method == "subscriptions/listen" || method == "tasks/result"
}
