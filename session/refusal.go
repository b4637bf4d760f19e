package session

import (
	"fmt"

	"mcpdbg/framing"
)

const (
	// codeParseError is the code of JSON-RPC for a line that can't be parsed.
	codeParseError = -32700
	// maxRefused is how many rows before a refusal are searched for our line.
	maxRefused = 1000
)

// Refusal describes the error response without an id at a row, with which a server says
// that it could not read a line. It names our line if a malformed one is among the rows
// before. ok is false for other entries.
func Refusal(src Source, number int, e *Entry) (text string, ok bool) {
	if e.Msg.Kind != framing.ErrorResponse || e.Cut {
		return "", false
	}
	if id := e.Msg.ID.Of(e.Payload); id != nil && string(id) != "null" {
		return "", false
	}
	failure := parseRPCError(e.Msg.Error.Of(e.Payload))
	if failure.Code != codeParseError {
		return "", false
	}
	text = "the server could not read a line: " + failure.Message
	for at := number - 1; at >= max(0, number-maxRefused); at-- {
		row, _ := RowAt(src, at)
		if row.Kind == KindStart {
			break
		}
		if row.Kind == KindStdin && row.Flags&FlagBatch == 0 && (row.Msg == framing.NotJSON || row.Msg == framing.Other) {
			if ours, err := src.Entry(row, 1); err == nil {
				text += fmt.Sprintf(" (entry %d is malformed)", ours.N)
			}
			break
		}
	}
	return text, true
}
