package inventory

// A Change is a difference between a server and the baseline.
type Change struct {
	What string `json:"what"` // server, protocol, capabilities, tool, resource, template, prompt; all with More of all
	// Name is the name of the tool and so on; for What = server: name, version
	// or instructions.
	Name   string `json:"name"`
	Change string `json:"change"` // Added, Removed, Changed or More
	// Pointer is the position in the item, such as
	// /inputSchema/properties/a/type. From and To are the values there as JSON,
	// cut at 200 bytes, or size and hash of values that are too large.
	Pointer string `json:"pointer,omitempty"`
	From    string `json:"from,omitempty"`
	To      string `json:"to,omitempty"`
	Count   int    `json:"count,omitempty"` // with More: number of omitted changes
}

// The values of Change.
const (
	changeAdded   = "added"
	changeRemoved = "removed"
	Changed       = "changed"
	More          = "more" // Count further changes were omitted
)

// allParts is the What of a Change that counts changes beyond maxChanges.
const allParts = "all"
