package formats

import (
	"bytes"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// Lines that are JSON-RPC messages and nothing else: their direction is inferred from the
// method, and that of a response from the request with its id.

func looksBare(head []byte) bool {
	good, bad := 0, 0
	for line := range bytes.Lines(head) {
		whole := bytes.HasSuffix(line, []byte("\n")) || len(head) < headSize
		if line = bytes.TrimSpace(line); len(line) == 0 || !whole {
			continue
		}
		if good+bad == sampled {
			break
		}
		if _, directed := parsePlain(line); !directed && bytes.Contains(line, []byte(`"jsonrpc"`)) && isBare(line) {
			good++
		} else {
			bad++
		}
	}
	return good > 0 && good >= 4*bad
}

func isBare(line []byte) bool {
	switch framing.Scan(line).Kind {
	case framing.Request, framing.Notification, framing.Response, framing.ErrorResponse:
		return true
	}
	return false
}

func readBare(s *logSource, to *recorder) error {
	to.remark("the direction of messages is inferred from methods and ids")
	to.remark("it has no timestamps")
	// asked and sent have the open requests of the server and of the client by id, as the
	// number of the request.
	asked, sent, requests := map[string]int{}, map[string]int{}, 0
	return s.objects(to, func(line []byte) error {
		if !isBare(line) {
			return unreadable("not a message")
		}
		m := framing.Scan(line)
		var id, method string
		for name, value := range members(line) {
			switch name {
			case "id":
				id = string(value)
			case "method":
				method = text(value)
			}
		}
		kind := session.KindStdin
		switch m.Kind {
		case framing.Request:
			requests++
			if serverMethod(method) {
				kind, asked[id] = session.KindStdout, requests
			} else {
				sent[id] = requests
			}
		case framing.Notification:
			if serverNotification(method) {
				kind = session.KindStdout
			}
		default: // a response; of two open requests with its id, the later is within the other
			kind = session.KindStdout
			if asked[id] > sent[id] {
				kind = session.KindStdin
				delete(asked, id)
			} else {
				delete(sent, id)
			}
		}
		return to.add(logItem{kind: kind, at: unknown, payload: line})
	})
}

// serverMethod reports whether only servers send requests of the method.
func serverMethod(method string) bool {
	switch method {
	case "sampling/createMessage", "elicitation/create", "roots/list":
		return true
	}
	return false
}

// serverNotification reports whether usually servers send notifications of the method.
func serverNotification(method string) bool {
	switch method {
	case "notifications/initialized", "notifications/cancelled", "notifications/roots/list_changed":
		return false
	}
	return true
}
