package form

const (
	// maxSchema is the maximum size in bytes of a schema that is made into
	// fields. A longer one becomes a single field of JSON text, unchecked.
	maxSchema = 1 << 20
	// maxChecked is the maximum size in bytes of a value that is checked while a
	// person types.
	maxChecked = 256 << 10

	// maxDepth is how deep fields are nested; deeper values are JSON text.
	maxDepth = 12
	// maxParsed is how deep a schema or a value may be nested.
	maxParsed = 200
	// maxFields is the maximum number of fields in a form; beyond it, objects
	// and lists are JSON text.
	maxFields = 4000
	// maxParts is the maximum number of members or items that one value shows
	// as rows.
	maxParts = 1000
	// maxOptions is the maximum number of options of a field.
	maxOptions = 1000
	// maxHops is the maximum number of references that are followed in a chain.
	maxHops = 16

	// maxText is the maximum size in bytes of the text of a field.
	maxText = 1 << 20
)
