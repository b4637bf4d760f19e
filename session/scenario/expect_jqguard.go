package scenario

import (
	"fmt"
	"strings"
	"sync"

	"github.com/itchyny/gojq"
)

// One operation of jq can't be interrupted, and what it works on comes from a
// server. So that is bounded: most operations take at most some seconds, and a
// gigabyte, for as many bytes as jq gets to see. What stays are operations that
// compare two lists of a server with each other, such as .a - .b.

// maxProgramValue is how many bytes of JSON a jq program gets to see. Split into
// letters they take 700 MiB.
const maxProgramValue = 8 << 20

// decodeForJQ reads a value that a jq program is to see.
func decodeForJQ(raw []byte) (any, error) {
	if len(raw) > maxProgramValue {
		return nil, fmt.Errorf("it has %d bytes, and a jq program sees at most %d", len(raw), maxProgramValue)
	}
	value, err := decodeJSON(raw)
	if number := findNumber(value, tooLong); number != "" {
		return nil, tooManyDigits(number)
	}
	return value, err
}

// guards are what programs have in place of what makes numbers of texts.
var guards = sync.OnceValue(func() []*gojq.FuncDef {
	query, err := gojq.Parse(`def _tonumber: tonumber; def tonumber: _fewdigits | _tonumber;
		def _fromjson: fromjson; def fromjson: _fromjson | _fewdigits; .`)
	if err != nil {
		panic(err) // it is the same each time
	}
	return query.FuncDefs
})

// fewDigits is a function of jq that gives its input, unless there is a number of
// too many digits in it: also a text that is one.
func fewDigits(value any, _ []any) any {
	number := findNumber(value, tooLong)
	if text, ok := value.(string); ok && len(text) > maxDigits && strings.Trim(text, "-+.eE0123456789") == "" {
		number = text
	}
	if number != "" {
		return tooManyDigits(number)
	}
	return value
}

func tooManyDigits(number string) error {
	return fmt.Errorf("the number %.20s… has %d digits, and at most %d are reckoned with", number, len(number), maxDigits)
}
