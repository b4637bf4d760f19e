package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
)

const (
	// maxValue is the largest value that is decoded, in bytes. Decoded it takes about
	// ten times as much memory.
	maxValue = 32 << 20
	maxDiffs = 20
)

// got is nil if the value is missing.
type diff struct {
	pointer   string
	want, got any
	missing   bool
	text      string // instead of want and got
}

// subset returns where got does not contain want, at most maxDiffs+1 differences: objects
// may have more members, arrays must have the same length, numbers are compared by value.
func subset(want, got []byte) ([]diff, error) {
	w, err := decodeJSON(want)
	if err != nil {
		return nil, err
	}
	g, err := decodeJSON(got)
	if err != nil {
		return nil, err
	}
	var c comparison
	c.compare("", w, g)
	return c.diffs, nil
}

// decodeJSON keeps numbers as they are written. Empty input is null.
func decodeJSON(raw []byte) (any, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	if len(raw) > maxValue {
		return nil, fmt.Errorf("%d bytes exceed the limit of %d", len(raw), maxValue)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value any
	err := d.Decode(&value)
	return value, err
}

type comparison struct{ diffs []diff }

func (c *comparison) add(d diff) { c.diffs = append(c.diffs, d) }

func (c *comparison) compare(pointer string, want, got any) {
	if len(c.diffs) > maxDiffs {
		return
	}
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			c.objects(pointer, w, g)
			return
		}
	case []any:
		if g, ok := got.([]any); ok {
			c.arrays(pointer, w, g)
			return
		}
	case json.Number:
		if g, ok := got.(json.Number); ok && sameNumber(w, g) {
			return
		}
	default:
		if want == got {
			return
		}
	}
	c.add(diff{pointer: pointer, want: want, got: got})
}

func (c *comparison) objects(pointer string, want, got map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		at := pointer + "/" + wording.EscapePointer(name)
		value, ok := got[name]
		if !ok {
			c.add(diff{pointer: at, want: want[name], missing: true})
			continue
		}
		c.compare(at, want[name], value)
	}
}

func (c *comparison) arrays(pointer string, want, got []any) {
	if len(want) != len(got) {
		c.add(diff{pointer: pointer, want: want, got: got, text: fmt.Sprintf("expected %d items, got %d", len(want), len(got))})
	}
	for i := range min(len(want), len(got)) {
		c.compare(pointer+"/"+strconv.Itoa(i), want[i], got[i])
	}
}

func sameNumber(a, b json.Number) bool {
	return a == b || string(framing.AppendNumber(nil, []byte(a))) == string(framing.AppendNumber(nil, []byte(b)))
}

func encode(value any) string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return fmt.Sprint(value) // not from decodeJSON
	}
	return strings.TrimSuffix(out.String(), "\n")
}
