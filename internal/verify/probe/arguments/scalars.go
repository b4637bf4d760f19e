package arguments

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// formats are texts by format.
var formats = map[string]string{
	"date": "2026-01-15", "time": "12:00:00Z", "date-time": "2026-01-15T12:00:00Z", "duration": "PT1H",
	"email": "user@example.com", "idn-email": "user@example.com", "hostname": "example.com", "idn-hostname": "example.com",
	"ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "uri": "https://example.com/", "uri-reference": "https://example.com/",
	"iri": "https://example.com/", "iri-reference": "https://example.com/", "uuid": "00000000-0000-4000-8000-000000000000",
	"json-pointer": "/a", "relative-json-pointer": "0", "regex": "a", "uri-template": "https://example.com/{a}",
}

// words are short, and harmless as a name or a path.
var words = []string{"example", "test", "sample", "hello"}

func (g *generator) text(s object) (any, error) {
	least, most := natural(s["minLength"], 0), natural(s["maxLength"], MaxSize)
	if least > MaxSize {
		return nil, fmt.Errorf("the arguments would be larger than %d bytes", MaxSize)
	}
	if format, _ := s["format"].(string); formats[format] != "" {
		return formats[format], nil
	}
	if pattern, ok := s["pattern"].(string); ok {
		return g.matching(pattern, least, most)
	}
	text := words[g.random.IntN(len(words))]
	for utf8.RuneCountInString(text) < least {
		text += "x"
	}
	return text[:min(len(text), most)], nil
}

// matching returns at least so many characters if the pattern leaves room.
func (g *generator) matching(pattern string, least, most int) (any, error) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("cannot follow the pattern %.60q", pattern)
	}
	tree = tree.Simplify()
	for extra := 0; ; extra += 1 + extra/64 {
		w := patternWriter{generator: g, extra: extra}
		if err := w.write(tree); err != nil {
			return nil, fmt.Errorf("pattern %.60q: %w", pattern, err)
		}
		if length := utf8.RuneCountInString(w.out.String()); length >= least || extra > least || length > most || len(w.out.String()) > MaxSize {
			return w.out.String(), nil
		}
	}
}

// A patternWriter writes text that a pattern matches.
type patternWriter struct {
	*generator
	out   strings.Builder
	extra int // repetitions beyond the fewest
}

func (w *patternWriter) write(re *syntax.Regexp) error {
	if w.parts++; w.parts > maxParts*10 || w.out.Len() > MaxSize {
		return errors.New("the text would be too long")
	}
	switch re.Op {
	case syntax.OpLiteral:
		w.out.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		return w.class(re.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		w.out.WriteByte('x')
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range re.Sub {
			if err := w.write(sub); err != nil {
				return err
			}
		}
	case syntax.OpAlternate:
		return w.write(re.Sub[w.random.IntN(len(re.Sub))])
	case syntax.OpStar, syntax.OpQuest, syntax.OpPlus, syntax.OpRepeat:
		return w.repeat(re)
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary:
	default:
		return errors.New("nothing can be generated for it")
	}
	return nil
}

// repeat writes the least count, and extra more if it can.
func (w *patternWriter) repeat(re *syntax.Regexp) error {
	least, most := re.Min, re.Max
	switch re.Op {
	case syntax.OpStar:
		least, most = 0, -1
	case syntax.OpPlus:
		least, most = 1, -1
	case syntax.OpQuest:
		least, most = 0, 1
	}
	times := least + w.extra
	if most >= 0 {
		times = min(times, most)
	}
	for range times {
		if err := w.write(re.Sub[0]); err != nil {
			return err
		}
	}
	return nil
}

func (w *patternWriter) class(ranges []rune) error {
	for _, good := range []rune{'a', 'x', 'A', 'X', '0', '1'} {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= good && good <= ranges[i+1] {
				w.out.WriteRune(good)
				return nil
			}
		}
	}
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := max(ranges[i], ' '); r <= ranges[i+1]; r++ {
			if utf8.ValidRune(r) {
				w.out.WriteRune(r)
				return nil
			}
		}
	}
	return errors.New("nothing can be generated for it")
}

// number is a small one within the limits.
func (g *generator) number(s object, whole bool) (any, error) {
	low, hasLow := bound(s, "minimum", "exclusiveMinimum", +1, whole)
	high, hasHigh := bound(s, "maximum", "exclusiveMaximum", -1, whole)
	switch {
	case !hasLow && !hasHigh:
		low, high = 1, 10
	case !hasLow:
		low = high - 10
		if high >= 1 {
			low = math.Min(1, high)
		}
	case !hasHigh:
		high = low + 10
	}
	high = math.Min(high, low+10)
	if whole {
		low, high = math.Ceil(low), math.Floor(high)
	}
	if low > high {
		return nil, errors.New("the input schema has no number between its limits")
	}
	value := low + math.Floor(g.random.Float64()*(math.Floor(high-low)+1))
	value = math.Min(value, high)
	if step, ok := float(s["multipleOf"]); ok && step > 0 {
		value = math.Ceil(low/step) * step
	}
	if math.IsInf(value, 0) || math.IsNaN(value) {
		return nil, errors.New("the input schema has no number between its limits")
	}
	return value, nil
}

// bound moves an excluded limit by a step, also one excluded by a boolean, as in older
// dialects.
func bound(s object, inclusive, exclusive string, direction float64, whole bool) (float64, bool) {
	step := direction
	if !whole {
		step /= 2
	}
	value, ok := float(s[inclusive])
	if past, found := float(s[exclusive]); found {
		moved := past + step
		if !ok || direction*moved > direction*value {
			value, ok = moved, true
		}
	}
	if excluded, _ := s[exclusive].(bool); excluded && ok {
		value += step
	}
	return value, ok
}

func float(value any) (float64, bool) {
	number, ok := value.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := number.Float64()
	return f, err == nil
}
