package form

// choices returns the values that a schema lists: const, enum (with the enumNames of
// older revisions), or alternatives with a const and a title each.
func choices(v *value) ([]option, bool) {
	if c := v.get("const"); c != nil {
		return optionsOf([]*value{c}, nil)
	}
	if enum := v.list("enum"); len(enum) > 0 {
		return optionsOf(enum, v.list("enumNames"))
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		if all := v.list(key); len(all) > 0 {
			return titled(all)
		}
	}
	return nil, false
}

func titled(all []*value) ([]option, bool) {
	values, names := make([]*value, 0, len(all)), make([]*value, 0, len(all))
	for _, v := range all {
		c := v.get("const")
		if c == nil {
			return nil, false
		}
		name := v.get("title")
		if name == nil {
			name = &value{}
		}
		values, names = append(values, c), append(names, name)
	}
	return optionsOf(values, names)
}

func optionsOf(values, names []*value) ([]option, bool) {
	if len(values) > maxOptions {
		return nil, false
	}
	options := make([]option, 0, len(values))
	for i, v := range values {
		name := ""
		if i < len(names) {
			name = names[i].text
		}
		options = append(options, newOption(v, name))
	}
	return options, true
}

// newOption uses the value as label if name is empty.
func newOption(v *value, name string) option {
	if name == "" {
		name = optionText(v)
	}
	return option{v, name}
}

func optionText(v *value) string {
	if v.kind == '"' {
		return v.text
	}
	return string(v.compact(nil))
}

func booleans() []option {
	return []option{
		newOption(&value{kind: 'f', raw: []byte("false")}, "no"),
		newOption(&value{kind: 't', raw: []byte("true")}, "yes"),
	}
}

// indexOf returns -1 for a value that is not among the options.
func indexOf(options []option, v *value) int {
	for i := range options {
		if options[i].value.equal(v) {
			return i
		}
	}
	return -1
}
