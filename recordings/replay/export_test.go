package replay

// Exports for the tests of parsers.
var (
	Readable = readable
	Without  = without
	Put      = put
)
