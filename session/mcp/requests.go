package mcp

// Requests returns the methods of the requests that a client may send, those of
// both eras, without the handshake.
func Requests() []string {
	return append([]string{
		MethodToolsCall, "resources/subscribe", "resources/unsubscribe", "subscriptions/listen", "logging/setLevel", "tasks/cancel",
	}, readers...)
}
