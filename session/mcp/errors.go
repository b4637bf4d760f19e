package mcp

// Error codes of JSON-RPC 2.0 and of MCP.
const (
	CodeParse              = -32700
	CodeInvalidRequest     = -32600
	CodeMethodNotFound     = -32601
	CodeInvalidParams      = -32602
	CodeInternal           = -32603
	CodeNotFound           = -32002 // of a resource
	CodeHeaderMismatch     = -32020
	CodeMissingCapability  = -32021
	CodeUnsupportedVersion = -32022
	CodeURLElicitation     = -32042
)

// An ErrorCode is an error code with a fixed meaning.
type ErrorCode struct {
	Code         int
	Name         string
	Meaning      string // one sentence
	Since, Until string // the first and the last revision; Until is "" if it is still there
}

var errorCodes = []ErrorCode{
	{CodeParse, "Parse error", "The message is not valid JSON.", V20241105, ""},
	{CodeInvalidRequest, "Invalid Request", "The message is valid JSON but not a valid request.", V20241105, ""},
	{CodeMethodNotFound, "Method not found", "The receiver does not have the method, or its capability was not declared.", V20241105, ""},
	{CodeInvalidParams, "Invalid params", "The parameters do not fit the method: an unknown tool or prompt, a missing argument, an invalid cursor.", V20241105, ""},
	{CodeInternal, "Internal error", "The receiver failed.", V20241105, ""},
	{CodeNotFound, "Resource not found", "There is no resource with the URI. From 2026-07-28 on servers send -32602 instead.", V20241105, LatestLegacy},
	{CodeHeaderMismatch, "Header mismatch", "HTTP headers contradict the message; it has no meaning on stdio.", V20260728, ""},
	{CodeMissingCapability, "Missing required client capability", "The request needs client capabilities that its _meta does not declare; data.requiredCapabilities lists them.", V20260728, ""},
	{CodeUnsupportedVersion, "Unsupported protocol version", "The server does not support the version of the request; data.supported lists those it supports.", V20260728, ""},
	{CodeURLElicitation, "URL elicitation required", "The request needs the person to open the URLs in data.elicitations first.", V20251125, V20251125},
}

// ErrorCodes returns the codes of all revisions.
func ErrorCodes() []ErrorCode { return append([]ErrorCode(nil), errorCodes...) }

// In reports whether a revision gives the code its meaning.
func (c *ErrorCode) In(revision string) bool {
	return Order(c.Since) <= Order(revision) && (c.Until == "" || Order(revision) <= Order(c.Until))
}

// LookUpCode returns what is known about a code, nil if it has no fixed meaning. The
// result must not be changed.
func LookUpCode(code int) *ErrorCode {
	for i := range errorCodes {
		if errorCodes[i].Code == code {
			return &errorCodes[i]
		}
	}
	return nil
}

// CodeName returns the name that JSON-RPC or MCP gives an error code, or "".
func CodeName(code int) string {
	if c := LookUpCode(code); c != nil {
		return c.Name
	}
	return ""
}

// IsModernError reports whether only servers of the modern era send an error
// code, so that a probe answered with it has found one.
func IsModernError(code int) bool {
	c := LookUpCode(code)
	return c != nil && c.Since == V20260728
}
