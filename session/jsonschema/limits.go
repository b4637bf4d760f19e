package jsonschema

const (
	// MaxBytes is the maximum size in bytes of a schema.
	MaxBytes = 256 << 10
	// maxSubschemas is the maximum number of objects in a schema; the library's work
	// grows with their square.
	maxSubschemas = 3000
	// maxVisits is how often a check may apply a schema to a value, which takes
	// about a tenth of a second.
	maxVisits = 100_000
	// maxDigits is the maximum length of a number, written out without an exponent:
	// the library calculates with all digits.
	maxDigits = 1000
	// maxDepth is how deep a schema or a value may be nested.
	maxDepth = 200
	// MaxProblems is the maximum number of problems that a check reports.
	MaxProblems = 100
	// maxMessage is the maximum size in bytes of the text of a problem.
	maxMessage = 300
)
