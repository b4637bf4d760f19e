package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcpdbg/session/executor"
)

// Vars are the values of a scenario's variables. They do not change: what runs
// capture, each keeps for itself. nil has none.
type Vars struct {
	values  map[string]json.RawMessage
	secrets []executor.EnvVar
	kept    int // bytes that keep has added
}

// shortestSecret is the shortest value of a secret variable, in bytes: a shorter
// one stands in texts that have nothing to do with it.
const shortestSecret = 4

// A VarError says why a variable has no value that can be used.
type VarError struct {
	File  string
	Place Place  // of the declaration; zero if there is none
	Name  string // of the variable
	Text  string // what is wrong
}

// Error gives place, name and what is wrong.
func (e *VarError) Error() string {
	place := e.File
	if (e.Place != Place{}) {
		place = fmt.Sprintf("%s:%d:%d", e.File, e.Place.Line, e.Place.Column)
	}
	return fmt.Sprintf("%s: variable %s: %s", place, e.Name, e.Text)
}

// Bind gives the scenario's variables their values: what is given, then the
// environment, then the default. A text that is given, or comes from the
// environment, is a string; where the default is anything else it is to be JSON.
// environ may be nil. The error is one *VarError, or several joined: a variable
// without a value, one that the scenario does not declare, a secret of less than
// 4 bytes.
func (s *Scenario) Bind(given map[string]string, environ func(string) (string, bool)) (*Vars, error) {
	v := &Vars{values: make(map[string]json.RawMessage, len(s.Vars))}
	var failures []error
	declared := make(map[string]bool, len(s.Vars))
	for _, d := range s.Vars {
		declared[d.Name] = true
		value, err := d.value(given, environ)
		if err != nil {
			failures = append(failures, &VarError{File: s.File, Place: d.Place, Name: d.Name, Text: err.Error()})
			continue
		}
		v.values[d.Name] = value
		if d.Secret {
			v.secrets = append(v.secrets, executor.EnvVar{Name: d.Name, Value: textOf(value)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !declared[name] {
			failures = append(failures, &VarError{File: s.File, Name: name, Text: s.undeclared()})
		}
	}
	return v, errors.Join(failures...)
}

func (s *Scenario) undeclared() string {
	var names []string
	for _, d := range s.Vars {
		names = append(names, d.Name)
	}
	if len(names) == 0 {
		return "the scenario declares no variables"
	}
	return "the scenario declares no such variable, but " + strings.Join(names, ", ")
}

// value is the variable's value, or why it has none.
func (d *Var) value(given map[string]string, environ func(string) (string, bool)) (json.RawMessage, error) {
	text, ok := given[d.Name]
	if !ok && d.Env != "" && environ != nil {
		text, ok = environ(d.Env)
	}
	value := d.Default
	var err error
	switch {
	case ok:
		value, err = d.typed(text)
	case d.Default == nil && d.Env != "":
		err = fmt.Errorf("it has no value: it is not given, the environment has no %s, and there is no default", d.Env)
	case d.Default == nil:
		err = errors.New("it has no value: it is not given, and there is no default")
	}
	if err == nil && d.Secret && len(textOf(value)) < shortestSecret {
		err = fmt.Errorf("a secret has at least %d bytes, or it could not be told from other text", shortestSecret)
	}
	return value, err
}

// typed makes a JSON value of a text.
func (d *Var) typed(text string) (json.RawMessage, error) {
	if d.Default == nil || d.Default[0] == '"' {
		return quoteJSON(text), nil
	}
	if !json.Valid([]byte(text)) {
		return nil, errors.New("its default is no string, so its value is to be JSON, and is not")
	}
	return json.RawMessage(text), nil
}

// Conceal writes ${NAME} for the values of secret variables in a text.
func (v *Vars) Conceal(text string) string { return newConcealer(v).Text(text) }

// own are the variables for one run, which keeps in them what it captures.
func (v *Vars) own() *Vars {
	own := &Vars{values: map[string]json.RawMessage{}}
	if v != nil {
		maps.Copy(own.values, v.values)
		own.secrets = v.secrets
	}
	return own
}

// maxKept is how much all values that a run has captured may be, in bytes.
const maxKept = 64 << 20

// keep keeps a value that was captured.
func (v *Vars) keep(name string, value json.RawMessage) error {
	kept := v.kept + len(value) - len(v.values[name])
	if kept > maxKept {
		return fmt.Errorf("all that is captured has more than %d MiB", maxKept>>20)
	}
	v.values[name], v.kept = value, kept
	return nil
}

func (v *Vars) has(name string) bool {
	_, ok := v.get(name)
	return ok
}

func (v *Vars) get(name string) (json.RawMessage, bool) {
	if v == nil {
		return nil, false
	}
	value, ok := v.values[name]
	return value, ok
}

// maxExpanded is how long a text, or a JSON value, may be with the values of its
// variables, in bytes.
const maxExpanded = maxValue

// errExpanded says that it would be longer.
var errExpanded = fmt.Errorf("with the values of its variables it has more than %d MiB", maxExpanded>>20)

// A missingError is a variable without a value: the step that captures it did
// not come to that.
type missingError struct{ name string }

func (e *missingError) Error() string { return fmt.Sprintf("${%s} has no value", e.name) }

// text is a text with the values of its variables.
func (v *Vars) text(text string) (string, error) {
	var out strings.Builder
	var failure error
	tokens(text, func(t token) bool {
		if t.name == "" {
			out.WriteString(t.text)
			return true
		}
		value, ok := v.get(t.name)
		if !ok {
			failure = &missingError{t.name}
			return false
		}
		out.WriteString(textOf(value))
		if out.Len() > maxExpanded {
			failure = errExpanded
		}
		return failure == nil
	})
	return out.String(), failure
}

// json is a JSON value with the values of the variables in its strings. Names of
// members, and whatever has no variables, stay as they are, byte for byte.
func (v *Vars) json(raw json.RawMessage) (json.RawMessage, error) {
	if !bytes.Contains(raw, []byte("${")) {
		return raw, nil
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		if raw[i] != '"' {
			out = append(out, raw[i])
			i++
			continue
		}
		end := stringEnd(raw, i)
		token := raw[i:end]
		i = end
		rest := bytes.TrimLeft(raw[end:], " \t\r\n")
		if !bytes.Contains(token, []byte("${")) || len(rest) > 0 && rest[0] == ':' {
			out = append(out, token...)
			continue
		}
		value, err := v.string(token)
		if err != nil {
			return nil, err
		}
		if out = append(out, value...); len(out) > maxExpanded {
			return nil, errExpanded
		}
	}
	return out, nil
}

// string is the value that a JSON string with variables stands for.
func (v *Vars) string(raw json.RawMessage) (json.RawMessage, error) {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return nil, err
	}
	if name, alone := variable(text); alone {
		value, ok := v.get(name)
		if !ok {
			return nil, &missingError{name}
		}
		return value, nil
	}
	text, err := v.text(text)
	return quoteJSON(text), err
}

// variable tells whether a text is one variable and nothing else.
func variable(text string) (name string, alone bool) {
	n := 0
	tokens(text, func(t token) bool {
		n++
		name = t.name
		return n < 2
	})
	return name, n == 1 && name != ""
}

// stringEnd is where the JSON string that begins at i ends.
func stringEnd(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}

// textOf is a JSON value as text: of a string its content, else its JSON.
func textOf(value json.RawMessage) string {
	var text string
	if len(value) > 0 && value[0] == '"' && json.Unmarshal(value, &text) == nil {
		return text
	}
	var out bytes.Buffer
	if json.Compact(&out, value) != nil {
		return string(value)
	}
	return out.String()
}

// quoteJSON is a text as a JSON string. Unlike json.Marshal it leaves <, > and &
// as they are.
func quoteJSON(text string) json.RawMessage {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string always encodes
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// Secrets are the secret variables with their values, for who keeps these out of
// what it tells.
func (v *Vars) Secrets() []executor.EnvVar {
	if v == nil {
		return nil
	}
	return slices.Clone(v.secrets)
}
