package form

import "encoding/json"

// An Argument is a named string value without a schema: an argument of a
// prompt, or a variable of a resource template.
type Argument struct {
	Name, Title, Description string
	Required                 bool
}

// Arguments returns the schema of an object with the given strings as members,
// for New.
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
