package demo

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

type resource struct {
	uri, name, title, mime string
}

// clockURI is the resource that the tool touch changes.
const clockURI = "demo://clock"

const (
	readmeURI   = "demo://readme"
	noteScheme  = "demo://notes/"
	greetScheme = "demo://greetings/"
	notes       = 8 // demo://notes/1 and so on

	resourcePage = 5 // resources on one page of resources/list
)

var templates = [...]struct{ uri, name, title string }{
	{noteScheme + "{id}", "note", "A note by its number"},
	{greetScheme + "{language}/{name}", "greeting", "A greeting in a language"},
}

func (s *server) resources() []resource {
	all := []resource{
		{uri: clockURI, name: "clock", title: "How often the clock was touched", mime: "text/plain"},
		{uri: "demo://config", name: "config", title: "The configuration", mime: "application/json"},
		{uri: "demo://pixel.png", name: "pixel", title: "A picture of one pixel", mime: "image/png"},
		{uri: readmeURI, name: "readme", title: "Read me", mime: "text/markdown"},
	}
	for i := range notes {
		id := strconv.Itoa(i + 1)
		all = append(all, resource{uri: noteScheme + id, name: "note-" + id, title: "Note " + id, mime: "text/plain"})
	}
	if s.hasExtra("resources") {
		all = append(all, resource{uri: "demo://surprise", name: "surprise", title: "Surprise", mime: "text/plain"})
	}
	return all
}

func (s *server) listResources(_ context.Context, r *request) (any, error) {
	return listResult(r, "resources", s.resources(), resourcePage, func(res resource) object {
		entry := object{"uri": res.uri, "name": res.name, "description": res.title, "mimeType": res.mime,
			"annotations": object{"audience": []string{"user", "assistant"}, "priority": 0.5}}
		if r.revision >= "2025-06-18" {
			entry["title"] = res.title
		}
		return entry
	})
}

func (s *server) listTemplates(_ context.Context, r *request) (any, error) {
	shown := make([]object, 0, len(templates))
	for _, t := range templates {
		entry := object{"uriTemplate": t.uri, "name": t.name, "description": t.title, "mimeType": "text/plain"}
		if r.revision >= "2025-06-18" {
			entry["title"] = t.title
		}
		shown = append(shown, entry)
	}
	return object{"resourceTemplates": shown}, nil
}

func templateValues(uri, variable string) ([]string, error) {
	switch {
	case uri == templates[0].uri && variable == "id":
		values := make([]string, notes)
		for i := range values {
			values[i] = strconv.Itoa(i + 1)
		}
		return values, nil
	case uri == templates[1].uri && variable == "language":
		return languages, nil
	case uri == templates[1].uri && variable == "name":
		return []string{"Ada", "Alan", "Grace"}, nil
	}
	return nil, errorf(codeInvalidParams, "no template %q with a variable %q", uri, variable)
}

func (s *server) readResource(_ context.Context, r *request) (any, error) {
	uri, err := s.knownURI(r)
	if err != nil {
		return nil, err
	}
	contents, _ := s.contents(uri)
	return object{"contents": []object{contents}}, nil
}

func (s *server) knownURI(r *request) (string, error) {
	var params struct {
		URI string `json:"uri"`
	}
	if err := r.decode(&params); err != nil {
		return "", err
	}
	if _, known := s.contents(params.URI); !known {
		code := codeResourceNotFound
		if r.modern() {
			code = codeInvalidParams
		}
		return "", &rpcError{Code: code, Message: "no such resource", Data: object{"uri": params.URI}}
	}
	return params.URI, nil
}

func (s *server) contents(uri string) (object, bool) {
	text := func(mime, text string) (object, bool) {
		return object{"uri": uri, "mimeType": mime, "text": text}, true
	}
	switch uri {
	case clockURI:
		s.mu.Lock()
		defer s.mu.Unlock()
		return text("text/plain", fmt.Sprintf("touched %d times", s.clock))
	case "demo://config":
		return text("application/json", `{"colour":"green","retries":3}`)
	case "demo://pixel.png":
		return object{"uri": uri, "mimeType": "image/png", "blob": pixelPNG}, true
	case readmeURI:
		return readmeContents(), true
	case "demo://surprise":
		if s.hasExtra("resources") {
			return text("text/plain", "surprise!")
		}
		return nil, false
	}
	if id, isNote := strings.CutPrefix(uri, noteScheme); isNote {
		n, err := strconv.Atoi(id)
		if err != nil || n < 1 || n > notes || strconv.Itoa(n) != id {
			return nil, false
		}
		return text("text/plain", "This is note "+id+".")
	}
	if rest, isGreeting := strings.CutPrefix(uri, greetScheme); isGreeting {
		language, name, ok := strings.Cut(rest, "/")
		if !ok || language == "" || name == "" {
			return nil, false
		}
		return text("text/plain", greeting(language, name))
	}
	return nil, false
}

func readmeContents() object {
	return object{"uri": readmeURI, "mimeType": "text/markdown",
		"text": "# Demo\n\nCall **touch** and watch `demo://clock`.\n"}
}
