package form

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"mcpdbg/session/jsonschema"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// Options control how a form looks.
type Options struct {
	// Theme holds the styles; nil means none.
	Theme *paint.Theme
	// Text controls how long or unprintable text is shown.
	Text termsafe.Options
	// Brief omits what is below the rows, unless the schema explains a field.
	Brief bool
	// Anyway is how to send a value in spite of its problems, Adds and Removes how to add an
	// item to a list and to remove one.
	Anyway, Adds, Removes string
}

// A Form is a value being edited by fields. Make one with New.
type Form struct {
	tree
	options  Options
	compiled func() (*jsonschema.Schema, error)

	rows          []row
	cursor, top   int
	width, height int
	labels        int  // width in cells of the longest label
	folds         bool // a row can be folded
	explained     bool // a row has a description
	writing       writing

	typedAhead  string // typed to jump to an option
	suggestions map[string][]string

	revision  uint64
	checked   problemSet
	validated validation
}

var (
	errTooLong = errors.New("too long")
	errNoField = errors.New("no such field")
)

// New returns a form for the values that a schema describes, with defaults filled in. If
// the schema is not valid JSON or exceeds a limit, the form is a single field of JSON
// text.
func New(raw json.RawMessage, o Options) *Form {
	f := &Form{options: o}
	f.writing.line, f.writing.area = NewInput(0, ""), NewArea(0, "")
	f.writing.area.Focus()
	if o.Theme == nil {
		f.options.Theme = &paint.Theme{}
	}
	raw = bytes.Clone(raw)
	var err error
	f.schema, err = newSchema(raw)
	f.compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
		if err != nil {
			return nil, err
		}
		return jsonschema.Compile(raw, jsonschema.Options{Formats: true})
	})
	f.revision = 1
	f.reset()
	f.fill(f.root)
	f.rebuild()
	f.toFirst()
	return f
}

// changed must be called after every change of a value, which may change the rows.
func (f *Form) changed() {
	f.revision++
	f.rebuild()
}

// Revision grows whenever the value may have changed.
func (f *Form) Revision() uint64 { return f.revision }

// SetTheme changes the styles.
func (f *Form) SetTheme(th *paint.Theme) { f.options.Theme = th }

// A TextError reports that the text of a field is not valid.
type TextError struct {
	Path     string // JSON Pointer of the field
	Expected string // "a number", "JSON"
}

func (e *TextError) Error() string {
	return fmt.Sprintf("%s is not %s", strings.TrimPrefix(e.Path, "/"), e.Expected)
}

// JSON returns the value, always valid JSON: members in the order of the schema, then the
// others. A text that is not valid becomes a string, and the error is a *TextError about
// the first one.
func (f *Form) JSON() ([]byte, error) {
	var first error
	out := f.appendJSON(nil, func(fl *field) {
		if first == nil {
			first = textError(fl)
		}
	})
	return out, first
}

func textError(fl *field) *TextError {
	want := "a number"
	if fl.is() == kindJSON {
		want = "JSON"
	}
	return &TextError{fl.path(), want}
}

// SetJSON replaces the value, without defaults. Text that is not a single JSON value is
// an error and changes nothing.
func (f *Form) SetJSON(raw []byte) error {
	v, err := parse(raw)
	if err != nil {
		return err
	}
	at := f.Path()
	f.reset()
	f.set(f.root, v)
	f.changed()
	f.toFirst()
	f.Select(at)
	return nil
}

// Text returns the text of the field at a path (a JSON Pointer), to be edited elsewhere:
// the value of an option, the JSON of a field with parts, nothing for an absent field.
func (f *Form) Text(path string) (string, error) {
	fl := f.at(path)
	if fl == nil {
		return "", errNoField
	}
	return fl.String(), nil
}

// String returns the text of a field.
func (fl *field) String() string {
	switch {
	case fl.state == absent:
		return ""
	case fl.state == null:
		return "null"
	case fl.typed():
		return fl.text
	case fl.chosen() && fl.choice >= 0:
		return optionText(fl.spec.options[fl.choice].value)
	}
	return string(fl.appendJSON(nil, func(*field) {}))
}

// SetText replaces the text of the field at a path, without one trailing newline, which
// editors add. The text of a field with parts or options must be valid for the field.
// Empty text makes the field absent, unless it is a string.
func (f *Form) SetText(path, text string) error {
	fl := f.at(path)
	if fl == nil {
		return errNoField
	}
	if len(text) > maxText {
		return errTooLong
	}
	text = strings.TrimSuffix(text, "\n")
	if err := f.setText(fl, text); err != nil {
		return err
	}
	f.changed()
	return nil
}

// option returns the option with text as its value or else label, or -1.
func (fl *field) option(text string) int {
	for i, o := range fl.spec.options {
		if optionText(o.value) == text {
			return i
		}
	}
	for i, o := range fl.spec.options {
		if strings.EqualFold(o.label, text) {
			return i
		}
	}
	return -1
}
