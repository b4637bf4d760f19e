package ui

import (
	"encoding/json"
	"strings"
)

// What the lists are called in their answers.
const (
	memberTools     = "tools"
	memberResources = "resources"
	memberTemplates = "resourceTemplates"
	memberPrompts   = "prompts"
)

// A catalogItem is one thing that a server offers. All of its texts come from
// the server.
type catalogItem struct {
	member      string // of the result that it was in, such as tools
	raw         json.RawMessage
	key         string // name of a tool or a prompt, URI of a resource or a template
	label       string // the key, and what else it is found by
	name        string
	title       string
	description string
	mime        string
	hints       []string // what its annotations say
	input       json.RawMessage
	output      json.RawMessage
	arguments   []promptArgument
	wrong       string // why it can't be used

	listed bool // parameters were read
	params []parameter
	more   int // parameters beyond the limit
}

// A promptArgument is an argument of a prompt.
type promptArgument struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

// newCatalogItem reads an item of a list. A member of the wrong type is as if
// it were not there: the raw view shows it.
func newCatalogItem(member string, raw json.RawMessage) *catalogItem {
	item := &catalogItem{member: member, raw: raw}
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		item.wrong = "it is no object"
		return item
	}
	text := func(name string) (s string) {
		_ = json.Unmarshal(object[name], &s)
		return s
	}
	item.name, item.title, item.description, item.mime = text("name"), text("title"), text("description"), text("mimeType")
	item.input, item.output = object["inputSchema"], object["outputSchema"]
	item.hints = hintsOf(object["annotations"])
	if item.title == "" {
		item.title = annotatedTitle(object["annotations"])
	}
	_ = json.Unmarshal(object["arguments"], &item.arguments)

	item.key = item.name
	switch member {
	case memberResources:
		item.key = text("uri")
	case memberTemplates:
		item.key = text("uriTemplate")
	}
	if item.key == "" {
		item.wrong = "it has no name"
	}
	item.label = item.name
	if item.label == "" {
		item.label = item.key
	}
	for _, more := range []string{item.key, item.title} {
		if more != "" && !strings.Contains(item.label, more) {
			item.label += "  " + more
		}
	}
	item.label = cutText(item.label, maxLabel)
	return item
}

// hintsOf puts the annotations of a tool into words. They are hints of the
// server, and no promise.
func hintsOf(annotations json.RawMessage) []string {
	var a struct {
		ReadOnly    *bool `json:"readOnlyHint"`
		Destructive *bool `json:"destructiveHint"`
		Idempotent  *bool `json:"idempotentHint"`
		OpenWorld   *bool `json:"openWorldHint"`
	}
	_ = json.Unmarshal(annotations, &a)
	var hints []string
	for _, h := range []struct {
		value   *bool
		yes, no string
	}{
		{a.ReadOnly, "read-only", "not read-only"},
		{a.Destructive, "destructive", "not destructive"},
		{a.Idempotent, "idempotent", "not idempotent"},
		{a.OpenWorld, "open world", "closed world"},
	} {
		switch {
		case h.value == nil:
		case *h.value:
			hints = append(hints, h.yes)
		default:
			hints = append(hints, h.no)
		}
	}
	return hints
}

func annotatedTitle(annotations json.RawMessage) string {
	var a struct {
		Title string `json:"title"`
	}
	_ = json.Unmarshal(annotations, &a)
	return a.Title
}

// A parameter is what an item wants to be told.
type parameter struct {
	name, about, description string
}

const (
	// maxParameters is how many of them are listed.
	maxParameters = 200
	// maxParameterText is how many bytes of the words about one are shown.
	maxParameterText = 1000
	// maxListed is up to which size a schema is listed; a longer one can be
	// looked at as it is.
	maxListed = 1 << 20
	// maxLabel is how many bytes of an item there are to be found by.
	maxLabel = 400
)

// parameters lists what an item wants to be told, in the order of the server.
func (item *catalogItem) parameters() (list []parameter, more int) {
	if !item.listed {
		item.listed = true
		item.params, item.more = item.readParameters()
		for i := range item.params {
			p := &item.params[i]
			p.about, p.description = brief(p.about, maxParameterText), brief(p.description, maxParameterText)
		}
	}
	return item.params, item.more
}

func (item *catalogItem) readParameters() (list []parameter, more int) {
	switch {
	case len(item.input) > maxListed:
	case item.input != nil:
		list = schemaParameters(item.input)
	case item.member == memberTemplates:
		for _, name := range templateVariables(item.key) {
			list = append(list, parameter{name: name})
		}
	}
	for _, a := range item.arguments {
		p := parameter{name: a.Name, description: a.Description}
		if a.Required {
			p.about = "required"
		}
		list = append(list, p)
	}
	if len(list) > maxParameters {
		list, more = list[:maxParameters], len(list)-maxParameters
	}
	return list, more
}

// schemaParameters lists the properties of a schema.
func schemaParameters(schema json.RawMessage) []parameter {
	var s struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	required := map[string]bool{}
	for _, name := range s.Required {
		required[name] = true
	}
	var list []parameter
	for name, raw := range members(s.Properties) {
		var p struct {
			Type        json.RawMessage   `json:"type"`
			Description string            `json:"description"`
			Enum        []json.RawMessage `json:"enum"`
			Default     json.RawMessage   `json:"default"`
		}
		_ = json.Unmarshal(raw, &p)
		var about []string
		if required[name] {
			about = append(about, "required")
		}
		if len(p.Type) > 0 {
			about = append(about, strings.Trim(string(p.Type), `"`))
		}
		if len(p.Enum) > 0 {
			values := make([]string, 0, len(p.Enum))
			for _, v := range p.Enum {
				values = append(values, string(v))
			}
			about = append(about, "one of "+strings.Join(values, " "))
		}
		if len(p.Default) > 0 {
			about = append(about, "default "+string(p.Default))
		}
		list = append(list, parameter{name, strings.Join(about, ", "), p.Description})
	}
	return list
}
