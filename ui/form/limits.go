package form

const (
	// maxSchema is how many bytes of a schema are made into fields. A longer
	// one is one field of JSON text, unchecked.
	maxSchema = 1 << 20
	// maxChecked is how many bytes of a schema, and of a value, are checked
	// against each other while a person types.
	maxChecked = 256 << 10
	// maxSubschemas is how many objects a schema may hold to be checked; the
	// library's work grows with their square.
	maxSubschemas = 3000
	// maxVisits is how often a check may apply a schema to a value, about a
	// tenth of a second.
	maxVisits = 100_000
	// maxDigits is how long a number may be, with what its exponent stands
	// for, to be checked: the library calculates with all digits.
	maxDigits = 1000

	// maxDepth is how deep fields are nested; deeper values are JSON text.
	maxDepth = 12
	// maxParsed is how deep a schema or a value may be nested at all.
	maxParsed = 200
	// maxFields is how many fields a form has; beyond it, values with parts
	// are JSON text.
	maxFields = 4000
	// maxParts is how many members or items one value shows as rows.
	maxParts = 1000
	// maxOptions is how many values are shown to choose from.
	maxOptions = 1000
	// maxHops is how many references are followed from one to the next.
	maxHops = 16

	// maxText is how many bytes can be typed or pasted into a field.
	maxText = 1 << 20
	// maxProblems is how many problems a check tells of.
	maxProblems = 100
	// maxMessage is how many bytes of a problem are told.
	maxMessage = 300
)
