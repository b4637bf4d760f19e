package form

import (
	"bytes"
	"cmp"
	"encoding/json"
	"mcpdbg/internal/wording"
	"slices"
	"strings"
)

type kind uint8

const (
	kindJSON    kind = iota // text that is JSON
	kindText                // a string
	kindInteger             // text that is a number
	kindNumber
	kindBool
	kindChoice // one of some values
	kindSet    // any of some values
	kindList   // items that can be added and removed
	kindObject // members
)

// A spec is what editing needs of a schema.
type spec struct {
	kind               kind
	title, description string
	format             string
	hint               string // what the value must be, in a few words
	def                *value
	options            []option // of a choice or a set
	nullable           bool
	loose              bool   // for JSON text: other text is a string
	items              *value // schema of the items of a list
	props              []prop
	pattern            string
}

type option struct {
	value *value
	label string
}

type prop struct {
	key      string
	schema   *value
	required bool
}

// schema is a document of JSON Schema. With a nil root every value is JSON text.
type schema struct {
	root *value
	made map[*value]*spec
}

func newSchema(raw []byte) (*schema, error) {
	s := &schema{made: map[*value]*spec{}}
	if len(raw) > maxSchema {
		return s, errTooLong
	}
	var err error
	s.root, err = parse(raw)
	return s, err
}

// spec returns the spec of a subschema; its references stay within the document.
func (s *schema) spec(v *value) *spec {
	if made, ok := s.made[v]; ok {
		return made
	}
	made := s.read(v)
	if made.hint == "" {
		made.hint = made.describe()
	}
	s.made[v] = made
	return made
}

// read follows a schema to the one that describes the value. Annotations next to a
// reference win over those of its target.
func (s *schema) read(v *value) *spec {
	out := &spec{}
	for range maxHops {
		if v == nil || v.kind != '{' {
			return out
		}
		out.annotate(v)
		next, nullable := s.aliasOf(v)
		out.nullable = out.nullable || nullable
		if next == nil {
			s.fill(out, v)
			return out
		}
		v = next
	}
	return out
}

// annotate takes the annotations for people that are not yet set.
func (out *spec) annotate(v *value) {
	for _, field := range []struct {
		key string
		to  *string
	}{{"title", &out.title}, {"description", &out.description}} {
		if *field.to == "" {
			*field.to = v.str(field.key)
		}
	}
	if out.def == nil {
		out.def = v.get("default")
	}
}

// aliasOf returns the schema that v is an alias of: a reference, the only part of an
// allOf, or the only alternative to null; or nil.
func (s *schema) aliasOf(v *value) (next *value, nullable bool) {
	if ref := v.get("$ref"); ref != nil {
		if v.get("properties") != nil {
			return nil, false
		}
		return s.resolve(ref), false
	}
	if v.get("type") != nil || v.get("properties") != nil || v.get("enum") != nil {
		return nil, false
	}
	if all := v.list("allOf"); len(all) == 1 {
		return all[0], false
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		rest, null := withoutNull(v.list(key))
		if null && len(rest) == 1 {
			return rest[0], true
		}
	}
	return nil, false
}

func unknown() *value { return &value{kind: '{', raw: []byte("{}")} }

// resolve returns the target of a reference: "#" or "#/a/b" in this document.
func (s *schema) resolve(ref *value) *value {
	pointer, local := strings.CutPrefix(ref.text, "#")
	if !local || pointer != "" && pointer[0] != '/' {
		return unknown()
	}
	v := s.root
	for _, token := range tokens(pointer) {
		v = v.part(token)
	}
	if v == nil {
		return unknown()
	}
	return v
}

func withoutNull(all []*value) (rest []*value, null bool) {
	for _, v := range all {
		if v.str("type") == "null" {
			null = true
			continue
		}
		rest = append(rest, v)
	}
	return rest, null
}

// fill sets the kind of value and its details from a schema that is not an alias.
func (s *schema) fill(out *spec, v *value) {
	if options, ok := choices(v); ok {
		out.kind, out.options = kindChoice, options
		return
	}
	types := typesOf(v)
	if i := slices.Index(types, "null"); i >= 0 && len(types) > 1 {
		out.nullable = true
		types = slices.Delete(slices.Clone(types), i, i+1)
	}
	if len(types) != 1 {
		out.loose = slices.Contains(types, "string") && !slices.Contains(types, "object") && !slices.Contains(types, "array")
		out.hint = strings.Join(types, " or ")
		return
	}
	switch types[0] {
	case "string":
		out.kind, out.format, out.pattern = kindText, v.str("format"), v.str("pattern")
		out.hint = textHint(v)
	case "integer":
		out.kind, out.hint = kindInteger, numberHint("whole number", v)
	case "number":
		out.kind, out.hint = kindNumber, numberHint("number", v)
	case "boolean":
		out.kind, out.options = kindBool, booleans()
	case "null":
		out.kind, out.options = kindChoice, []option{newOption(&value{kind: 'n', raw: []byte("null")}, "")}
	case "array":
		s.fillArray(out, v)
	case "object":
		s.fillObject(out, v)
	}
}

// typesOf returns the types of a schema, if it names none, guessed from its other
// keywords.
func typesOf(v *value) []string {
	if t := v.get("type"); t != nil {
		if t.kind == '"' {
			return []string{t.text}
		}
		var types []string
		for _, item := range t.items {
			types = append(types, item.text)
		}
		return types
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if all := v.list(key); len(all) > 0 {
			return alternatives(all)
		}
	}
	switch {
	case v.get("properties") != nil:
		return []string{"object"}
	case v.get("items") != nil:
		return []string{"array"}
	}
	return nil
}

// alternatives returns the types of a choice between schemas. Two alternatives of the
// same type are never merged: each may constrain it differently.
func alternatives(all []*value) []string {
	var types []string
	for _, v := range all {
		t := v.str("type")
		if t == "" {
			t = "object"
		}
		if !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	if len(types) == 1 {
		types = append(types, types[0])
	}
	return types
}

func (s *schema) fillArray(out *spec, v *value) {
	items := v.get("items")
	if items == nil || items.kind != '{' || v.get("prefixItems") != nil {
		return // a tuple, or anything
	}
	if options, ok := s.itemChoices(items); ok {
		out.kind, out.options = kindSet, options
		out.hint = countHint("any of "+labels(options), v, "minItems", "maxItems")
		return
	}
	out.kind, out.items = kindList, items
	out.hint = countHint("list", v, "minItems", "maxItems")
}

func (s *schema) itemChoices(items *value) ([]option, bool) {
	for range maxHops {
		ref := items.get("$ref")
		if ref == nil {
			break
		}
		items = s.resolve(ref)
	}
	return choices(items)
}

func (s *schema) fillObject(out *spec, v *value) {
	props := v.get("properties")
	none := props == nil || len(props.members) == 0
	extra := v.get("additionalProperties")
	switch {
	case v.get("patternProperties") != nil, conditional(v),
		none && (v != s.root || extra != nil && extra.kind == '{' && len(extra.members) > 0),
		props != nil && len(props.members) > maxParts:
		out.hint = "object"
		return
	}
	out.kind = kindObject
	if none {
		return
	}
	required := map[string]bool{}
	for _, key := range v.list("required") {
		required[key.text] = true
	}
	seen := map[string]bool{}
	for _, m := range props.members {
		if !seen[m.key] {
			seen[m.key] = true
			out.props = append(out.props, prop{m.key, m.value, required[m.key]})
		}
	}
}

// conditional reports whether an object has conditional members: its properties are not a
// complete list.
func conditional(v *value) bool {
	parts := []*value{v.get("then"), v.get("else")}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		parts = append(parts, v.list(key)...)
	}
	return slices.ContainsFunc(parts, func(part *value) bool {
		return part.get("properties") != nil || part.get("$ref") != nil
	})
}

func (out *spec) describe() string {
	switch out.kind {
	case kindBool:
		return "yes or no"
	case kindChoice:
		return "one of " + labels(out.options)
	case kindObject:
		text, mark := "object", ": "
		for _, p := range out.props {
			text += mark + p.key
			if mark = ", "; p.required {
				text += " *"
			}
		}
		return wording.ClipValid(text, maxHint, wording.Dots)
	}
	return "JSON"
}

// maxHint is the maximum size of a list of names in a hint, in bytes.
const maxHint = 80

func labels(options []option) string {
	var all []string
	for _, o := range options[:min(len(options), maxHint)] {
		all = append(all, o.label)
	}
	return wording.ClipValid(strings.Join(all, ", "), maxHint, wording.Dots)
}

// examples are of formats that people write in several ways (RFC 3339).
var examples = map[string]string{"date": "2026-06-12", "time": "10:00:00Z", "date-time": "2026-06-12T10:00:00Z"}

func textHint(v *value) string {
	what := "text"
	if format := v.str("format"); format != "" {
		what = format
	}
	if like := examples[what]; like != "" {
		what += ", as " + like
	}
	return countHint(what, v, "minLength", "maxLength")
}

func numberHint(what string, v *value) string {
	hint := countHint(what, v, "minimum", "maximum")
	if above := scalar(v, "exclusiveMinimum"); above != "" {
		hint += ", more than " + above
	}
	if below := scalar(v, "exclusiveMaximum"); below != "" {
		hint += ", less than " + below
	}
	return hint
}

func countHint(what string, v *value, least, most string) string {
	from, to := scalar(v, least), scalar(v, most)
	unit := map[string]string{"minLength": " character", "minItems": " item"}[least]
	if unit != "" && cmp.Or(to, from) != "1" {
		unit += "s"
	}
	switch {
	case from != "" && from == to:
		return what + ", " + from + unit
	case from != "" && to != "":
		return what + ", " + from + " to " + to + unit
	case from != "":
		return what + ", at least " + from + unit
	case to != "":
		return what + ", at most " + to + unit
	}
	return what
}

func scalar(v *value, key string) string {
	if n := v.get(key); n != nil && n.kind == '0' {
		return string(bytes.TrimSpace(n.raw))
	}
	return ""
}

// An Argument is a named string without a schema: an argument of a prompt, or a variable
// of a resource template.
type Argument struct {
	Name, Title, Description string
	Required                 bool
}

// Arguments returns the schema of an object with these strings as members, for New.
func Arguments(all []Argument) json.RawMessage {
	props, required := []byte{'{'}, []byte{'['}
	for i, a := range all {
		props = append(appendString(comma(props, i), a.Name), `:{"type":"string"`...)
		if a.Title != "" {
			props = appendString(append(props, `,"title":`...), a.Title)
		}
		if a.Description != "" {
			props = appendString(append(props, `,"description":`...), a.Description)
		}
		props = append(props, '}')
		if a.Required {
			if len(required) > 1 {
				required = append(required, ',')
			}
			required = appendString(required, a.Name)
		}
	}
	out := append([]byte(`{"type":"object","properties":`), append(props, '}')...)
	out = append(append(out, `,"required":`...), append(required, ']')...)
	return append(out, '}')
}
