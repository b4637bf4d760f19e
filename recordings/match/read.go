package match

import (
	"fmt"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// IsRaw reports whether a write is not exactly one message.
func IsRaw(row session.Row) bool {
	const odd = session.FlagBatch | session.FlagPart | session.FlagProblem
	return row.Flags&odd != 0 || row.Msg == framing.NotJSON || row.Msg == framing.Other
}

// Read reads one message, into buf if the entry fits. The message is valid until buf
// is used again.
func Read(src session.Source, at Ref, buf []byte) (Message, error) {
	payload, known, stdin, err := payloadOf(src, at, buf)
	if err != nil {
		return Message{}, err
	}
	for member, m := range session.MessagesOf(payload, known, stdin) {
		if member == at.Member {
			return m, nil
		}
	}
	return Message{}, fmt.Errorf("entry %d has no message %d", at.N, at.Member)
}

// payloadOf reads the payload that contains a message: one entry, or several writes.
func payloadOf(src session.Source, at Ref, buf []byte) (payload []byte, known framing.Message, stdin bool, err error) {
	for number := at.First; number <= at.Row; number++ {
		row, ok := session.RowAt(src, number)
		if !ok {
			return nil, known, false, fmt.Errorf("no row %d", number)
		}
		stdin = row.Kind == session.KindStdin
		if at.First < at.Row && !stdin {
			continue
		}
		e, err := session.EntryInto(src, row, 0, buf)
		if err != nil {
			return nil, known, false, err
		}
		if at.First == at.Row {
			return e.Payload, e.Msg, stdin, nil // including an incomplete line at its end
		}
		payload = append(payload, e.Payload...)
		if e.EOL != framing.NoEOL {
			payload = append(payload, '\n')
		}
	}
	return payload, framing.Message{}, true, nil
}
