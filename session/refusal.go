package session

import (
	"fmt"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

const (
	// maxRefused is how many rows before a refusal are searched for our line.
	maxRefused = 1000
	maxRefusal = 64 << 10
)

// Refusal describes the error response without an id at a row, with which a server says
// that it could not read a line. It names our line if exactly one malformed line among
// the rows before has not been refused yet. ok is false for other entries.
func Refusal(src Source, number int, e *Entry) (text string, ok bool) {
	failure, ok := refusal(e)
	if !ok {
		return "", false
	}
	text = "the server could not read a line: " + failure.Message
	if n, ok := refusedLine(src, number); ok {
		text += fmt.Sprintf(" (entry %d is malformed)", n)
	}
	return text, true
}

// refusal returns the error of a response without an id that is about an unreadable line.
func refusal(e *Entry) (failure *RPCError, ok bool) {
	if e.Msg.Kind != framing.ErrorResponse || e.Cut {
		return nil, false
	}
	if id := e.Msg.ID.Of(e.Payload); id != nil && string(id) != "null" {
		return nil, false
	}
	failure = parseRPCError(e.Msg.Error.Of(e.Payload))
	return failure, failure.Code == mcp.CodeParse
}

func refusedLine(src Source, number int) (n uint64, ok bool) {
	var malformed *Row
	open := 0 // malformed lines that were not refused
	for at := number - 1; at >= max(0, number-maxRefused); at-- {
		row, _ := RowAt(src, at)
		switch {
		case row.Kind == KindStart:
			at = 0
		case row.Kind == KindStdin && row.Flags&FlagBatch == 0 && (row.Msg == framing.NotJSON || row.Msg == framing.Other):
			if open++; malformed == nil {
				malformed = &row
			}
		case row.Kind == KindStdout && row.Msg == framing.ErrorResponse && !row.Paired():
			if e, err := src.Entry(row, maxRefusal); err == nil {
				if _, earlier := refusal(&e); earlier {
					open--
				}
			}
		}
	}
	if open != 1 || malformed == nil {
		return 0, false
	}
	e, err := src.Entry(*malformed, 1)
	return e.N, err == nil
}
