package jq

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/itchyny/gojq"
)

// MaxDigits is the longest number for calculations, in characters: with a million
// digits a multiplication takes seconds, with ten million it takes hours.
const MaxDigits = 1000

func tooLong(number json.Number) bool { return len(number) > MaxDigits }

// FindNumber returns a number in a decoded value for which is returns true, or "".
func FindNumber(value any, is func(json.Number) bool) string {
	switch v := value.(type) {
	case json.Number:
		if is(v) {
			return v.String()
		}
	case map[string]any:
		for _, part := range v {
			if number := FindNumber(part, is); number != "" {
				return number
			}
		}
	case []any:
		for _, part := range v {
			if number := FindNumber(part, is); number != "" {
				return number
			}
		}
	}
	return ""
}

// CheckNumbers returns an error if a decoded value has a number with more than
// MaxDigits characters. Numbers must be decoded as json.Number.
func CheckNumbers(value any) error {
	if number := FindNumber(value, tooLong); number != "" {
		return tooManyDigits(number)
	}
	return nil
}

// guards replace the jq functions that convert text to numbers.
var guards = sync.OnceValue(func() []*gojq.FuncDef {
	query, err := gojq.Parse(`def _tonumber: tonumber; def tonumber: _fewdigits | _tonumber;
		def _fromjson: fromjson; def fromjson: _fromjson | _fewdigits; .`)
	if err != nil {
		panic(err) // the program is constant
	}
	return query.FuncDefs
})

// fewDigits is a jq function that returns its input, or an error if it contains a
// number with too many digits, or is such a number as text.
func fewDigits(value any, _ []any) any {
	if text, ok := value.(string); ok && len(text) > MaxDigits && strings.Trim(text, "-+.eE0123456789") == "" {
		return tooManyDigits(text)
	}
	if err := CheckNumbers(value); err != nil {
		return err
	}
	return value
}

func tooManyDigits(number string) error {
	return fmt.Errorf("the number %.20s… has %d digits, the limit is %d", number, len(number), MaxDigits)
}
