package jsonschema

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"sort"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	fault "github.com/santhosh-tekuri/jsonschema/v6/kind"

	"mcpdbg/internal/wording"
)

// A Problem describes what is wrong with a value.
type Problem struct {
	Path    string // JSON Pointer of the value, or of the missing member
	Text    string // description; untrusted
	Missing bool   // a required member is missing, or a list that needs items has none
}

// String returns the problem with its path.
func (p Problem) String() string {
	if p.Path == "" {
		return p.Text
	}
	return p.Path + ": " + p.Text
}

// explain sorts the problems by path because the library's order is random.
func explain(err *jsonschema.ValidationError) []Problem {
	var out []Problem
	explainInto(&out, err)
	sort.Slice(out, func(i, j int) bool {
		a, b := &out[i], &out[j]
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Text, b.Text)) < 0
	})
	return out
}

func explainInto(out *[]Problem, err *jsonschema.ValidationError) {
	if len(*out) >= MaxProblems {
		return
	}
	at := wording.Pointer(err.InstanceLocation...)
	member := func(name, text string, missing bool) {
		if len(*out) < MaxProblems {
			*out = append(*out, Problem{at + wording.Pointer(name), text, missing})
		}
	}
	switch k := err.ErrorKind.(type) {
	case *fault.Required:
		for _, name := range k.Missing {
			member(name, "is required", true)
		}
	case *fault.DependentRequired:
		for _, name := range k.Missing {
			member(name, "is required with "+k.Prop, true)
		}
	case *fault.AdditionalProperties:
		for _, name := range k.Properties {
			member(name, "is not allowed by the schema", false)
		}
	case *fault.AnyOf, *fault.OneOf:
		explainAlternatives(out, err)
	default:
		if len(err.Causes) == 0 {
			few, ok := err.ErrorKind.(*fault.MinItems)
			*out = append(*out, Problem{Path: at, Text: message(err), Missing: ok && few.Got == 0})
		}
		for _, cause := range err.Causes {
			explainInto(out, cause)
		}
	}
}

// explainAlternatives appends the problems of the only alternative with the right type,
// or one problem about all.
func explainAlternatives(out *[]Problem, err *jsonschema.ValidationError) {
	var near []*jsonschema.ValidationError
	for _, cause := range err.Causes {
		if !wrongType(cause, len(err.InstanceLocation)) {
			near = append(near, cause)
		}
	}
	if len(near) == 1 {
		explainInto(out, near[0])
		return
	}
	text := "more than one alternative matches"
	if len(err.Causes) > 0 {
		var all []string
		for _, cause := range err.Causes {
			all = append(all, leaf(cause))
		}
		text = cut("no alternative matches: " + strings.Join(all, "; "))
	}
	*out = append(*out, Problem{Path: wording.Pointer(err.InstanceLocation...), Text: text})
}

func wrongType(err *jsonschema.ValidationError, depth int) bool {
	for {
		switch err.ErrorKind.(type) {
		case *fault.Type:
			return len(err.InstanceLocation) == depth
		case *fault.Reference:
			if len(err.Causes) == 1 {
				err = err.Causes[0]
				continue
			}
		}
		return false
	}
}

func leaf(err *jsonschema.ValidationError) string {
	for len(err.Causes) > 0 {
		err = err.Causes[0]
	}
	return message(err)
}

func message(err *jsonschema.ValidationError) string {
	switch k := err.ErrorKind.(type) {
	case *fault.Type:
		return "is " + article(k.Got) + ", not " + article(strings.Join(k.Want, " or "))
	case *fault.Format:
		if errors.Is(k.Err, errNotListed) {
			return "is not one of the listed values"
		}
		return "is not " + article(cut(k.Want))
	case *fault.MinLength:
		return fmt.Sprintf("has %s, at least %d", wording.Plural(k.Got, "character"), k.Want)
	case *fault.MaxLength:
		return fmt.Sprintf("has %s, at most %d", wording.Plural(k.Got, "character"), k.Want)
	case *fault.MinItems:
		return fmt.Sprintf("has %s, at least %d", wording.Plural(k.Got, "item"), k.Want)
	case *fault.MaxItems:
		return fmt.Sprintf("has %s, at most %d", wording.Plural(k.Got, "item"), k.Want)
	case *fault.Maximum:
		return "is " + number(k.Got) + ", at most " + number(k.Want)
	case *fault.Minimum:
		return "is " + number(k.Got) + ", at least " + number(k.Want)
	case *fault.ExclusiveMaximum:
		return "is " + number(k.Got) + ", less than " + number(k.Want)
	case *fault.ExclusiveMinimum:
		return "is " + number(k.Got) + ", more than " + number(k.Want)
	case *fault.UniqueItems:
		return fmt.Sprintf("items %d and %d are the same", k.Duplicates[0], k.Duplicates[1])
	case *fault.Pattern:
		return cut("does not match " + k.Want)
	case *fault.FalseSchema:
		return "is not allowed by the schema"
	}
	if out := err.BasicOutput(); out.Error != nil {
		return cut(out.Error.String())
	}
	return cut(err.Error())
}

func number(n *big.Rat) string {
	if n.IsInt() && n.Num().BitLen() <= 128 {
		return n.Num().String()
	}
	f, _ := n.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func article(name string) string {
	if name == "null" || name == "" {
		return name
	}
	if strings.ContainsRune("aeio", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}

// cut shortens a text that may include a whole value.
func cut(text string) string { return wording.Clip(text, maxMessage, wording.Dots) }
