package workspace

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/ui/widget/jsontree"
)

// The names of the members that hold the lists in their responses.
const (
	MemberTools     = "tools"
	MemberResources = "resources"
	MemberTemplates = "resourceTemplates"
	MemberPrompts   = "prompts"
)

// A CatalogItem is a tool, prompt, resource or template, with texts of the server.
type CatalogItem struct {
	Member      string // of the result that held it, such as tools
	Raw         json.RawMessage
	Key         string // name of a tool or a prompt, URI of a resource or a template
	Label       string // all texts that a search matches, key first
	Name        string
	Title       string
	Description string
	Mime        string
	Hints       []string // annotations, in words
	Input       json.RawMessage
	Output      json.RawMessage
	Arguments   []promptArgument
	Problem     string // why it cannot be used

	listed bool
	params []Parameter
	more   int // parameters beyond the limit
}

type promptArgument struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

// newCatalogItem reads an item of a list. A member of the wrong type counts as missing;
// the raw view shows it.
func newCatalogItem(member string, raw json.RawMessage) *CatalogItem {
	item := &CatalogItem{Member: member, Raw: raw}
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		item.Problem = "not a JSON object"
		return item
	}
	text := func(name string) (s string) {
		_ = json.Unmarshal(object[name], &s)
		return s
	}
	item.Name, item.Title, item.Description, item.Mime = text("name"), text("title"), text("description"), text("mimeType")
	item.Input, item.Output = object["inputSchema"], object["outputSchema"]
	item.Hints = hintsOf(object["annotations"])
	switch session.TaskSupport(raw) {
	case session.TaskRequired:
		item.Hints = append(item.Hints, "runs as a task only")
	case session.TaskOptional:
		item.Hints = append(item.Hints, "may run as a task")
	}
	if item.Title == "" {
		item.Title = annotatedTitle(object["annotations"])
	}
	_ = json.Unmarshal(object["arguments"], &item.Arguments)

	item.Key = item.Name
	switch member {
	case MemberResources:
		item.Key = text("uri")
	case MemberTemplates:
		item.Key = text("uriTemplate")
	}
	if item.Key == "" {
		item.Problem = "missing name"
	}
	item.Label = item.Name
	if item.Label == "" {
		item.Label = item.Key
	}
	for _, more := range []string{item.Key, item.Title} {
		if more != "" && !strings.Contains(item.Label, more) {
			item.Label += "  " + more
		}
	}
	item.Label = wording.Cut(item.Label, maxLabel)
	return item
}

// Says reports whether the server describes an item with a word, such as "read-only". A nil
// item is not described.
func (item *CatalogItem) Says(hint string) bool {
	return item != nil && slices.Contains(item.Hints, hint)
}

// hintsOf puts the annotations of a tool into words: hints of the server, not guarantees.
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

// A Parameter is one input of an item.
type Parameter struct {
	Name, About, Description string
	Required                 bool
}

const (
	maxParameters = 200
	// MaxParameterText is how many bytes of a parameter's texts are shown.
	MaxParameterText = 1000
	// maxListed is the largest schema, in bytes, whose parameters are listed; others can
	// only be viewed raw.
	maxListed = 1 << 20
	// maxLabel is how many bytes of a label are kept for searching.
	maxLabel = 400
)

// Parameters lists the inputs of an item in the server's order; more were omitted.
func (item *CatalogItem) Parameters() (list []Parameter, more int) {
	if !item.listed {
		item.listed = true
		item.params, item.more = item.readParameters()
		for i := range item.params {
			p := &item.params[i]
			p.About, p.Description = wording.Clip(p.About, MaxParameterText, wording.Dots), wording.Clip(p.Description, MaxParameterText, wording.Dots)
		}
	}
	return item.params, item.more
}

func (item *CatalogItem) readParameters() (list []Parameter, more int) {
	switch {
	case len(item.Input) > maxListed:
	case item.Input != nil:
		list = schemaParameters(item.Input)
	case item.Member == MemberTemplates:
		for _, name := range TemplateVariables(item.Key) {
			list = append(list, Parameter{Name: name})
		}
	}
	for _, a := range item.Arguments {
		p := Parameter{Name: a.Name, Description: a.Description, Required: a.Required}
		if a.Required {
			p.About = "required"
		}
		list = append(list, p)
	}
	if len(list) > maxParameters {
		list, more = list[:maxParameters], len(list)-maxParameters
	}
	return list, more
}

// typeWords are types of JSON as forms call them.
var typeWords = map[string]string{"string": "text", "integer": "whole number", "boolean": "yes or no", "array": "list"}

func schemaParameters(schema json.RawMessage) []Parameter {
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
	var list []Parameter
	for name, raw := range jsontree.Members(s.Properties) {
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
			name := strings.Trim(string(p.Type), `"`)
			about = append(about, cmp.Or(typeWords[name], name))
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
		list = append(list, Parameter{name, strings.Join(about, ", "), p.Description, required[name]})
	}
	return list
}
