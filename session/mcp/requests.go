package mcp

// Requests returns the methods of the requests that a client of either era may
// send, without those of the handshake.
func Requests() []string {
	return append([]string{
		MethodToolsCall, "resources/subscribe", "resources/unsubscribe", "subscriptions/listen", MethodSetLevel, "tasks/cancel",
	}, readers...)
}

// LogLevels returns the levels of log messages, from the least severe to the most
// severe (RFC 5424).
func LogLevels() []string {
	return []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
}
