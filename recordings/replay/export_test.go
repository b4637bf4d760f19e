package replay

// What the tests of parsers need.
var (
	Readable = readable
	Without  = without
	Put      = put
)
