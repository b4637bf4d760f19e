package ui

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"mcpdbg/session/mcp"
)

// calleeMembers are the members of params that name what a request is about.
var calleeMembers = map[string]string{
	mcp.MethodToolsCall: `"name"`, methodPromptsGet: `"name"`, methodRead: `"uri"`,
}

// A calleeReader finds what requests are about. It is kept, so that reading does
// not allocate.
type calleeReader struct {
	text    bytes.Reader
	decoder *jsontext.Decoder
}

// read returns the inside of a member of params, as JSON has it, nil if there is
// no such string.
func (c *calleeReader) read(params []byte, member string) []byte {
	c.text.Reset(params)
	if c.decoder == nil {
		c.decoder = jsontext.NewDecoder(&c.text, jsontext.AllowInvalidUTF8(true))
	} else {
		c.decoder.Reset(&c.text, jsontext.AllowInvalidUTF8(true))
	}
	if token, err := c.decoder.ReadToken(); err != nil || token.Kind() != '{' {
		return nil
	}
	for c.decoder.PeekKind() == '"' {
		key, err := c.decoder.ReadValue()
		found := string(key) == member
		if err != nil {
			return nil
		}
		value, err := c.decoder.ReadValue()
		switch {
		case err != nil:
			return nil
		case found && value.Kind() == '"':
			return value[1 : len(value)-1]
		}
	}
	return nil
}
