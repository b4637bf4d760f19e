package form

const (
	// maxSchema is the maximum size in bytes of a schema with fields. A longer one
	// becomes a single field of JSON text, unchecked.
	maxSchema = 1 << 20
	// maxChecked is the maximum size in bytes of a value that is checked during typing.
	maxChecked = 256 << 10

	// maxDepth is how deep fields are nested; deeper values are JSON text.
	maxDepth = 12
	// maxParsed is how deep a schema or a value may be nested.
	maxParsed = 200
	// maxFields is the maximum number of fields; beyond it, objects and lists are JSON
	// text.
	maxFields = 4000
	// maxParts is the maximum number of members or items of a value shown as rows.
	maxParts   = 1000
	maxOptions = 1000
	maxHops    = 16

	// maxText is the maximum size in bytes of a field's text.
	maxText = 1 << 20
)
