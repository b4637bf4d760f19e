package inventory

// A Change is one way in which a server is not what the baseline is.
type Change struct {
	What string `json:"what"` // server, protocol, capabilities, tool, resource, template, prompt; all with More of all
	// Name is that of the tool and so on; of server: name, version or instructions.
	Name   string `json:"name"`
	Change string `json:"change"` // Added, Removed, Changed or More
	// Pointer is where in the item, such as /inputSchema/properties/a/type; From
	// and To are the values there as JSON, cut at 200 bytes. Of what is too large
	// they are its size and hash.
	Pointer string `json:"pointer,omitempty"`
	From    string `json:"from,omitempty"`
	To      string `json:"to,omitempty"`
	Count   int    `json:"count,omitempty"` // with More: how many changes are not listed
}

// What a change is.
const (
	Added   = "added"
	Removed = "removed"
	Changed = "changed"
	More    = "more" // there are Count further changes that are not listed
)

// All is the What of a Change that counts those beyond MaxChanges.
const All = "all"
