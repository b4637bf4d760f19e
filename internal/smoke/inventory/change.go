package inventory

// A Change is one way in which a server is not what the baseline is.
type Change struct {
	What   string `json:"what"`   // server, protocol, capabilities, tool, resource, template, prompt
	Name   string `json:"name"`   // of the tool and so on; of server: name or version
	Change string `json:"change"` // added, removed, changed
	// Pointer is where in the item, such as /inputSchema/properties/a/type; From
	// and To are the values there as JSON, cut at 200 bytes.
	Pointer string `json:"pointer,omitempty"`
	From    string `json:"from,omitempty"`
	To      string `json:"to,omitempty"`
}
