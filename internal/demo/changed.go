package demo

import "encoding/json"

// What a server with Options.Changed does otherwise than the healthy one, for
// comparisons to find: one schema of tools/list, and one answer.
const (
	changedTool = "slow"
	// slowInputChanged allows fewer steps than slowInput.
	slowInputChanged = `{` + dialect + `,"type":"object","properties":{
		"seconds":{"type":"number","title":"Seconds in all","minimum":0,"maximum":3600,"default":2},
		"steps":{"type":"integer","title":"Steps","minimum":1,"maximum":100,"default":4}
	},"additionalProperties":false}`
	// sumError is what add is wrong by.
	sumError = 1
)

// showTool gives a tool as an entry of tools/list.
func (s *server) showTool(t tool, revision string) object {
	entry := t.show(revision)
	if s.opts.Changed && t.name == changedTool {
		entry["inputSchema"] = json.RawMessage(slowInputChanged)
	}
	return entry
}
