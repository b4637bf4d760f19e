package form

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// kind is how a value is edited.
type kind uint8

const (
	kindJSON    kind = iota // a text that is JSON
	kindText                // a string
	kindInteger             // a text that is a number
	kindNumber
	kindBool   // one of true and false
	kindChoice // one of some values
	kindSet    // any of some values
	kindList   // items that are added and removed
	kindObject // members
)

// A spec is what a schema says about a value, as far as editing goes.
type spec struct {
	kind               kind
	title, description string
	format             string
	hint               string // what the value must be, in a few words
	def                *value
	options            []option // of a choice or a set
	nullable           bool     // null is allowed beside the kind
	loose              bool     // of JSON text: other text is a string
	items              *value   // schema of the items of a list
	props              []prop   // of an object
	pattern            string
}

// An option is a value to choose.
type option struct {
	value *value
	label string
}

type prop struct {
	key      string
	schema   *value
	required bool
}

// schema is a document of JSON Schema. A nil root describes nothing, so that
// every value is JSON text.
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

// spec returns what a subschema says. It follows references, which stay within
// the document.
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

// read goes from one schema to the one it stands for until that says what the
// value is. What stands beside a reference is nearer to the reader and wins.
func (s *schema) read(v *value) *spec {
	out := &spec{}
	for range maxHops {
		if v == nil || v.kind != '{' {
			return out
		}
		out.annotate(v)
		next, nullable := s.standsFor(v)
		out.nullable = out.nullable || nullable
		if next == nil {
			s.fill(out, v)
			return out
		}
		v = next
	}
	return out
}

// annotate takes what is told to a person, unless it is known already.
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

// standsFor returns the schema that v is another name for: a reference, the
// only part of allOf, or the only alternative to null. It is nil if v speaks
// for itself.
func (s *schema) standsFor(v *value) (next *value, nullable bool) {
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

// unknown is a schema that says nothing.
func unknown() *value { return &value{kind: '{', raw: []byte("{}")} }

// resolve returns what a reference refers to: "#" or "#/a/b" in this document.
func (s *schema) resolve(ref *value) *value {
	pointer, local := strings.CutPrefix(ref.text, "#")
	if !local || pointer != "" && pointer[0] != '/' {
		return unknown()
	}
	v := s.root
	for _, token := range tokens(pointer) {
		switch {
		case v == nil:
		case v.kind == '[':
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v.items) {
				return unknown()
			}
			v = v.items[i]
		default:
			v = v.get(token)
		}
	}
	if v == nil {
		return unknown()
	}
	return v
}

// withoutNull returns the alternatives that are not null.
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

// fill takes the kind of value, and what belongs to it, from a schema that
// speaks for itself.
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
		out.kind, out.hint = kindInteger, numberHint("integer", v)
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

// typesOf returns the types of a schema, guessed from what it says about the
// value if it names none.
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

// alternatives returns the types of a choice between schemas. Two of them are
// never one type, because each may say something else about it.
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
		out.hint = countHint("any of "+strconv.Itoa(len(options)), v, "minItems", "maxItems")
		return
	}
	out.kind, out.items = kindList, items
	out.hint = countHint("list", v, "minItems", "maxItems")
}

// itemChoices returns what the items of an array can be, if that is told.
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
	case v.get("patternProperties") != nil, differs(v),
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

// differs says whether an object has members that depend on others, so that
// its properties do not name them all.
func differs(v *value) bool {
	parts := []*value{v.get("then"), v.get("else")}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		parts = append(parts, v.list(key)...)
	}
	return slices.ContainsFunc(parts, func(part *value) bool {
		return part.get("properties") != nil || part.get("$ref") != nil
	})
}

// describe says what a value must be, if the schema says no more about it.
func (out *spec) describe() string {
	switch out.kind {
	case kindBool:
		return "true or false"
	case kindChoice:
		return "one of " + strconv.Itoa(len(out.options))
	case kindObject:
		return "object"
	}
	return "JSON"
}

// textHint and numberHint say what a text must be.
func textHint(v *value) string {
	what := "string"
	if format := v.str("format"); format != "" {
		what = format
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

// countHint adds the limits of a number or of how many there may be.
func countHint(what string, v *value, least, most string) string {
	from, to := scalar(v, least), scalar(v, most)
	if strings.HasSuffix(least, "Length") && from+to != "" {
		what += " of length"
	} else if from+to != "" {
		what += ","
	}
	switch {
	case from != "" && from == to:
		return what + " " + from
	case from != "" && to != "":
		return what + " " + from + " to " + to
	case from != "":
		return what + " at least " + from
	case to != "":
		return what + " at most " + to
	}
	return what
}

// scalar returns a member that is a number, as it is written.
func scalar(v *value, key string) string {
	if n := v.get(key); n != nil && n.kind == '0' {
		return string(bytes.TrimSpace(n.raw))
	}
	return ""
}
