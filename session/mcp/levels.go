package mcp

// LogLevels returns the levels of log messages, from the least severe to the most
// severe (RFC 5424).
func LogLevels() []string {
	return []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
}
