package jsonschema

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

func checkBounds(raw []byte) error {
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		token, err := dec.ReadToken()
		switch {
		case err != nil && dec.StackDepth() == 0 && int(dec.InputOffset()) > 0:
			return nil // the decoder reports the rest
		case err != nil:
			return err
		case dec.StackDepth() > maxDepth:
			return errTooDeep
		case token.Kind() == '0' && digits(token.String()) > maxDigits:
			return errors.New("a number has too many digits")
		}
	}
}

func digits(number string) int {
	n := len(number)
	for i := range len(number) {
		if number[i] != 'e' && number[i] != 'E' {
			continue
		}
		exponent := 0
		for _, d := range number[i+1:] {
			if '0' <= d && d <= '9' {
				exponent = min(exponent*10+int(d-'0'), 1<<20)
			}
		}
		return n + exponent
	}
	return n
}

func checkSize(doc any) error {
	n := 0
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			n++
			for _, part := range v {
				walk(part)
			}
		case []any:
			for _, part := range v {
				walk(part)
			}
		}
	}
	walk(doc)
	if n > maxSubschemas {
		return fmt.Errorf("the schema has %d parts (limit %d)", n, maxSubschemas)
	}
	return nil
}
