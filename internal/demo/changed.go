package demo

import "encoding/json"

// The differences of a server with Options.Changed, for comparisons to find:
// one schema of tools/list, and one result.
const (
	changedTool = "slow"
	// slowInputChanged allows fewer steps than slowInput.
	slowInputChanged = `{` + dialect + `,"type":"object","properties":{
		"seconds":{"type":"number","title":"Seconds in all","minimum":0,"maximum":3600,"default":2},
		"steps":{"type":"integer","title":"Steps","minimum":1,"maximum":100,"default":4}
	},"additionalProperties":false}`
	// sumError is the error of add.
	sumError = 1
)

// showTool returns a tool as an entry of tools/list.
func (s *server) showTool(t tool, revision string) object {
	entry := t.show(revision)
	if s.opts.Changed && t.name == changedTool {
		entry["inputSchema"] = json.RawMessage(slowInputChanged)
	}
	return entry
}
