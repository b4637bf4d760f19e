package flags

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/answers"
	"mcpdbg/session/mcp"
)

// ReadAnswers reads the files of --answers and --capabilities once: they may be pipes,
// for several sessions.
func ReadAnswers(ctx context.Context, env *console.Env, t *Target) error {
	if t.Answers != "" && t.canned == nil {
		data, err := env.ReadFile(ctx, "--answers", t.Answers)
		if err != nil {
			return err
		}
		if t.canned, err = parseAnswers(t.Answers, data); err != nil {
			return err
		}
	}
	if t.Capabilities != "" && t.declared == nil {
		var err error
		if t.declared, err = readCapabilities(ctx, env, t.Capabilities); err != nil {
			return err
		}
	}
	return nil
}

// Unknown methods are allowed unless they look like a misspelled one.
func parseAnswers(name string, data []byte) (session.Answers, error) {
	all, err := answers.Parse(data)
	if err != nil {
		return nil, console.WithHint(console.Usagef("--answers %s: %v", name, err), "mcpdbg schema answers for the format")
	}
	known := session.ServerRequestMethods()
	for method := range all {
		if near := wording.Nearest(method, known); near != "" && !slices.Contains(known, method) {
			return nil, console.Usagef("--answers %s: unknown method %q; did you mean %s?", name, method, near)
		}
	}
	return all, nil
}

// --capabilities is a JSON object, or @FILE with one.
func readCapabilities(ctx context.Context, env *console.Env, value string) (json.RawMessage, error) {
	text, where := []byte(value), ""
	if file, isFile := strings.CutPrefix(value, "@"); isFile {
		var err error
		if text, err = env.ReadFile(ctx, "--capabilities", file); err != nil {
			return nil, err
		}
		where = " " + value
	}
	var object map[string]json.RawMessage
	if err := framing.Unmarshal(text, &object); err != nil || object == nil {
		return nil, console.Usagef("--capabilities%s: must be a JSON object, not %.*s", where, maxShown, text)
	}
	for name, raw := range object {
		if slices.Contains(requestCapabilities, name) && (len(raw) == 0 || raw[0] != '{') {
			return nil, console.Usagef("--capabilities%s: %s must be an object, not %.*s", where, name, maxShown, raw)
		}
	}
	var line bytes.Buffer
	_ = json.Compact(&line, text) // it is valid
	return line.Bytes(), nil
}

// In bytes.
const maxShown = 200

// They allow requests of a server.
var requestCapabilities = []string{"elicitation", "sampling", "roots"}

// Conflicts returns how declared capabilities differ from what a session answers.
func Conflicts(cfg *session.Config) []string {
	if len(cfg.Capabilities) == 0 {
		return nil
	}
	declared, answered := allowed(cfg.Capabilities), allowed(cfg.Derived(mcp.Modern))
	var notes []string
	if only := without(declared, answered); only != "" {
		notes = append(notes, "declared, but not answered: "+only+" (see --answers)")
	}
	if only := without(answered, declared); only != "" {
		notes = append(notes, "answered, but not declared: "+only+" (see --capabilities)")
	}
	return notes
}

func allowed(capabilities json.RawMessage) []string {
	var whole map[string]json.RawMessage
	_ = json.Unmarshal(capabilities, &whole) // an object
	var names []string
	for _, name := range requestCapabilities {
		raw, ok := whole[name]
		if !ok {
			continue
		}
		var modes map[string]json.RawMessage
		_ = json.Unmarshal(raw, &modes) // an object
		_, form := modes["form"]
		_, url := modes["url"]
		switch {
		case name != "elicitation":
			names = append(names, name)
		case form || !url: // {} means form
			names = append(names, name+".form")
		}
		for _, mode := range []string{"url", "tools", "context"} {
			if _, ok := modes[mode]; ok {
				names = append(names, name+"."+mode)
			}
		}
	}
	return names
}

// without joins names that are not among others.
func without(names, others []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) }), ", ")
}
