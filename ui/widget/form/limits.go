package form

const (
	// maxSchema is the maximum size in bytes of a schema that is made into
	// fields. A longer one becomes a single field of JSON text, unchecked.
	maxSchema = 1 << 20
	// maxChecked is the maximum size in bytes of a schema, and of a value, that
	// is checked while a person types.
	maxChecked = 256 << 10
	// maxSubschemas is the maximum number of objects in a schema that is
	// checked; the library's work grows with their square.
	maxSubschemas = 3000
	// maxVisits is how often a check may apply a schema to a value, which takes
	// about a tenth of a second.
	maxVisits = 100_000
	// maxDigits is the maximum length of a number that is checked, written out
	// without an exponent: the library calculates with all digits.
	maxDigits = 1000

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
	// maxProblems is the maximum number of problems that a check reports.
	maxProblems = 100
	// maxMessage is the maximum size in bytes of the text of a problem.
	maxMessage = 300
)
