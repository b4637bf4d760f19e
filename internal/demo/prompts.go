package demo

import (
	"context"
	"slices"
	"strings"
)

type prompt struct {
	name, title, description string
	arguments                []promptArgument
	surprise                 bool // only listed when toggled on by touch
	messages                 func(args map[string]string) []object
}

type promptArgument struct {
	name, description string
	required          bool
	values            []string // values for completion/complete
}

const promptPage = 2

var languages = []string{"danish", "dutch", "english", "french", "german", "italian", "spanish"}

var greetings = map[string]string{"danish": "Hej", "dutch": "Hallo", "english": "Hello", "french": "Bonjour",
	"german": "Guten Tag", "italian": "Buongiorno", "spanish": "Hola"}

func greeting(language, name string) string {
	word, ok := greetings[language]
	if !ok {
		word = greetings["english"]
	}
	return word + ", " + name + "!"
}

var promptTable = [...]prompt{
	{name: "greet", title: "Greet someone", description: "A greeting in a language",
		arguments: []promptArgument{
			{name: "name", description: "The name to greet", required: true, values: []string{"Ada", "Alan", "Grace"}},
			{name: "language", description: "In which language", values: languages},
		},
		messages: func(args map[string]string) []object {
			return []object{textMessage("user", "Say this to me: "+greeting(args["language"], args["name"]))}
		}},
	{name: "review", title: "Review code", description: "Asks for a review of a piece of code",
		arguments: []promptArgument{
			{name: "code", description: "The code", required: true},
			{name: "focus", description: "What to look at", values: []string{"clarity", "correctness", "speed"}},
		},
		messages: func(args map[string]string) []object {
			text := "Review this code"
			if args["focus"] != "" {
				text += " for " + args["focus"]
			}
			return []object{textMessage("user", text+":\n\n"+args["code"])}
		}},
	{name: "story", title: "A conversation", description: "Several messages, with a picture and a resource",
		messages: func(map[string]string) []object {
			return []object{
				textMessage("user", "What is in this picture?"),
				{"role": "user", "content": object{"type": "image", "data": pixelPNG, "mimeType": "image/png"}},
				textMessage("assistant", "One pixel."),
				{"role": "user", "content": object{"type": "resource", "resource": readmeContents()}},
			}
		}},
	{name: "surprise", title: "Surprise", description: "A prompt that comes and goes: see the tool touch", surprise: true,
		messages: func(map[string]string) []object { return []object{textMessage("user", "Surprise me.")} }},
}

func textMessage(role, text string) object {
	return object{"role": role, "content": object{"type": "text", "text": text}}
}

func (s *server) promptByName(name string) (prompt, bool) {
	for _, p := range promptTable {
		if p.name == name && (!p.surprise || s.hasExtra("prompts")) {
			return p, true
		}
	}
	return prompt{}, false
}

func (p prompt) show(revision string) object {
	entry := object{"name": p.name, "description": p.description}
	if revision >= "2025-06-18" {
		entry["title"] = p.title
	}
	if len(p.arguments) > 0 {
		arguments := make([]object, 0, len(p.arguments))
		for _, a := range p.arguments {
			arguments = append(arguments, object{"name": a.name, "description": a.description, "required": a.required})
		}
		entry["arguments"] = arguments
	}
	return entry
}

func (s *server) listPrompts(_ context.Context, r *request) (any, error) {
	var shown []prompt
	for _, p := range promptTable {
		if !p.surprise || s.hasExtra("prompts") {
			shown = append(shown, p)
		}
	}
	return listResult(r, "prompts", shown, promptPage, func(p prompt) object { return p.show(r.revision) })
}

func (s *server) getPrompt(_ context.Context, r *request) (any, error) {
	var params struct {
		Name      string            `json:"name"`
		Arguments map[string]string `json:"arguments"`
	}
	if err := r.decode(&params); err != nil {
		return nil, err
	}
	p, known := s.promptByName(params.Name)
	if !known {
		return nil, errorf(codeInvalidParams, "no prompt %q", params.Name)
	}
	for _, a := range p.arguments {
		if a.required && params.Arguments[a.name] == "" {
			return nil, errorf(codeInvalidParams, "prompt %s needs the argument %s", p.name, a.name)
		}
	}
	return object{"description": p.description, "messages": p.messages(params.Arguments)}, nil
}

func (s *server) complete(_ context.Context, r *request) (any, error) {
	var params struct {
		Ref struct {
			Type string `json:"type"`
			Name string `json:"name"`
			URI  string `json:"uri"`
		} `json:"ref"`
		Argument struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		} `json:"argument"`
	}
	if err := r.decode(&params); err != nil {
		return nil, err
	}
	var offer []string
	var err error
	switch params.Ref.Type {
	case "ref/prompt":
		offer, err = s.promptValues(params.Ref.Name, params.Argument.Name)
	case "ref/resource":
		offer, err = templateValues(params.Ref.URI, params.Argument.Name)
	default:
		err = errorf(codeInvalidParams, "no reference of type %q", params.Ref.Type)
	}
	if err != nil {
		return nil, err
	}
	values := []string{}
	for _, value := range offer {
		if strings.HasPrefix(strings.ToLower(value), strings.ToLower(params.Argument.Value)) {
			values = append(values, value)
		}
	}
	return object{"completion": object{"values": values, "total": len(values), "hasMore": false}}, nil
}

func (s *server) promptValues(name, argument string) ([]string, error) {
	p, known := s.promptByName(name)
	if !known {
		return nil, errorf(codeInvalidParams, "no prompt %q", name)
	}
	i := slices.IndexFunc(p.arguments, func(a promptArgument) bool { return a.name == argument })
	if i < 0 {
		return nil, errorf(codeInvalidParams, "prompt %s has no argument %q", name, argument)
	}
	return p.arguments[i].values, nil
}
