package formats

import (
	"encoding/json"
	"strings"

	"mcpdbg/session"
)

// The log of mcp-remote with --debug. A message has two lines: [Local→Remote] with its
// method or id, and then an object with its members, of which params is a text of at most
// 500 characters and result is "result-present".

const (
	remoteSent   = "Local → Remote message"
	remoteArrows = remoteSent + "|Remote → Local message"
)

// remoteName begins params of which the end is missing.
var remoteName = expression(`^\{"name":"(?:[^"\\]|\\.)*"`)

func isRemote(arrow string) bool { return strings.HasSuffix(arrow, " message") }

// remote adds the message of an object.
func (a *arrowReader) remote(item logItem) error {
	if a.said != nil && strings.ContainsRune(a.said.note.Text, '→') { // the first of the two lines
		a.said = nil
	}
	object := item.payload
	message, cut := []byte(`{"jsonrpc":"2.0"`), ""
	for _, name := range []string{"id", "method", "params", "result", "error"} {
		value := member(object, name)
		if value == nil {
			continue
		}
		if name == "params" {
			params := text(value)
			value = []byte(params)
			if !json.Valid(value) {
				cut = params
				if value = remoteName().Find(value); value == nil {
					continue
				}
				value = append(value, '}')
			}
		}
		message = append(append(message, `,"`+name+`":`...), value...)
	}
	item.payload = append(message, '}')
	if cut != "" {
		a.to.report.Cut++
		err := a.add(logItem{kind: session.KindNote, at: item.at, note: session.NoteBody{
			Text: "params of the next entry are incomplete: the source truncated them", Code: noteCut, Said: clip(cut, quoted)}})
		if err != nil {
			return err
		}
	}
	return a.add(item)
}
