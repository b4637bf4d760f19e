package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/session/executor"
)

// Vars holds the values of a scenario's variables. It does not change: each run copies it
// for its captures. nil has none.
type Vars struct {
	values  map[string]json.RawMessage
	secrets []executor.EnvVar
	kept    int // bytes added by keep
}

// shortestSecret is the shortest value of a secret, in bytes: a shorter one would also
// occur in unrelated text.
const shortestSecret = 4

// A VarError is why a variable has no usable value.
type VarError struct {
	File  string
	Place Place  // of the declaration; zero if there is none
	Name  string // of the variable
	Text  string // what is wrong
}

// Error returns place, name and problem.
func (e *VarError) Error() string {
	place := e.File
	if (e.Place != Place{}) {
		place = fmt.Sprintf("%s:%d:%d", e.File, e.Place.Line, e.Place.Column)
	}
	return fmt.Sprintf("%s: variable %s: %s", place, e.Name, e.Text)
}

// Bind returns the values of the variables: given, from the environment, or the default,
// in that order. The first two are strings, or JSON if the default is not a string.
// environ may be nil. The error is one *VarError or several joined: a variable without a
// value, an undeclared one, or a secret shorter than 4 bytes.
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
	return "not declared by the scenario (declared: " + strings.Join(names, ", ") + ")"
}

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
		err = fmt.Errorf("no value: it is not given, %s is not set in the environment, and it has no default", d.Env)
	case d.Default == nil:
		err = errors.New("no value: it is not given and has no default")
	}
	if err == nil && d.Secret && len(textOf(value)) < shortestSecret {
		err = fmt.Errorf("a secret requires at least %d bytes, because a shorter one could be part of other text", shortestSecret)
	}
	return value, err
}

func (d *Var) typed(text string) (json.RawMessage, error) {
	if d.Default == nil || d.Default[0] == '"' {
		return quoteJSON(text), nil
	}
	if !json.Valid([]byte(text)) {
		return nil, errors.New("invalid JSON: the default is not a string, so the value must be JSON")
	}
	return json.RawMessage(text), nil
}

// Conceal replaces the values of secret variables in a text with ${NAME}.
func (v *Vars) Conceal(text string) string { return newConcealer(v).Text(text) }

func (v *Vars) own() *Vars {
	own := &Vars{values: map[string]json.RawMessage{}}
	if v != nil {
		maps.Copy(own.values, v.values)
		own.secrets = v.secrets
	}
	return own
}

// maxKept is the total size of the captures of a run, in bytes.
const maxKept = 64 << 20

func (v *Vars) keep(name string, value json.RawMessage) error {
	kept := v.kept + len(value) - len(v.values[name])
	if kept > maxKept {
		return fmt.Errorf("captured values exceed %d MiB", maxKept>>20)
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

// maxExpanded is the longest expanded text or JSON value, in bytes.
const maxExpanded = maxValue

var errExpanded = fmt.Errorf("longer than %d MiB with its variables expanded", maxExpanded>>20)

// A missingError reports a variable whose step has not captured it.
type missingError struct{ name string }

func (e *missingError) Error() string { return fmt.Sprintf("${%s} has no value", e.name) }

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

// json expands variables in strings. Member names, and all bytes without variables, do
// not change.
func (v *Vars) json(raw json.RawMessage) (json.RawMessage, error) {
	if !bytes.Contains(raw, []byte("${")) {
		return raw, nil
	}
	out := make([]byte, 0, len(raw))
	c, copied := framing.Cursor{Data: raw}, 0
	for token := range c.Tokens() {
		end := c.At
		if token[0] != '"' || !bytes.Contains(token, []byte("${")) || c.Peek() == ':' {
			continue
		}
		value, err := v.string(token)
		if err != nil {
			return nil, err
		}
		out = append(append(out, raw[copied:end-len(token)]...), value...)
		if copied = end; len(out) > maxExpanded {
			return nil, errExpanded
		}
	}
	return append(out, raw[copied:]...), nil
}

func (v *Vars) string(raw json.RawMessage) (json.RawMessage, error) {
	var text string
	if err := framing.Unmarshal(raw, &text); err != nil {
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

func variable(text string) (name string, alone bool) {
	n := 0
	tokens(text, func(t token) bool {
		n++
		name = t.name
		return n < 2
	})
	return name, n == 1 && name != ""
}

// textOf returns the content of a string, or else the JSON.
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

// Unlike json.Marshal, quoteJSON does not escape <, > and &.
func quoteJSON(text string) json.RawMessage {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string always encodes
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// Secrets returns the secret variables with their values, to conceal them.
func (v *Vars) Secrets() []executor.EnvVar {
	if v == nil {
		return nil
	}
	return slices.Clone(v.secrets)
}
