package contents

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcpdbg/session/diagnosis"
	"mcpdbg/session/diagnosis/message"
	"mcpdbg/session/jsonschema"
	"mcpdbg/session/mcp"
)

const (
	// Of the calls of a tool the first fullChecks are checked against its schemas,
	// then one of checkEvery.
	fullChecks = 10_000
	checkEvery = 100
	// maxValue is the largest value that is checked against a schema, in bytes, and
	// maxCopy the largest one that is compared with a text.
	maxValue = 256 << 10
	maxCopy  = 64 << 10
)

// known returns nil if the last list does not have the tool.
func (c *Checker) known(name string) *tool { return c.lists.tools.byName[name] }

// byList adds to a detail that rests on the list of tools that the list is out of date, if
// it is.
func (c *Checker) byList(detail string) string {
	if c.lists.outdated() {
		return detail + "; by a list from before the last list_changed"
	}
	return detail
}

// turn reports whether the next value of the tool is checked.
func (c *Checker) turn(t *tool) bool {
	t.checks++
	if t.exhausted || t.checks > fullChecks && t.checks%checkEvery != 0 {
		c.skipped++
		return false
	}
	return true
}

func (c *Checker) checkArguments(s *messageChecker, params []byte) {
	var name, arguments []byte
	for key, value := range message.Members(params) {
		switch string(key) {
		case "name":
			name = value
		case "arguments":
			arguments = value
		}
	}
	if arguments == nil {
		arguments = []byte("{}")
	}
	text, ok := textOf(name)
	if !ok || !isObject(arguments) {
		return
	}
	t := c.known(string(text))
	if t == nil || t.input == nil || t.input.schema == nil || !c.turn(t) {
		return
	}
	s.name = clip(string(text))
	c.conform(s, tol09, t, t.input, "/arguments", arguments)
}

func (c *Checker) conform(s *messageChecker, rule *diagnosis.Rule, t *tool, against *compiled, member string, value []byte) {
	problems, err := against.schema.Check(value, maxValue)
	if err != nil {
		c.skipped++
		t.exhausted = t.exhausted || !errors.Is(err, jsonschema.ErrTooLong)
		return
	}
	if len(problems) > 0 {
		s.found(rule, member+problems[0].Path, c.byList(describe(problems)))
	}
}

func describe(problems []jsonschema.Problem) string {
	text := message.Excerpt(problems[0].String())
	if len(problems) > 1 {
		text += fmt.Sprintf(" (%d problems)", len(problems))
	}
	return text
}

func (c *Checker) toolResult(s *messageChecker, name string, r *result) {
	s.enter("/content")
	s.blocks(r.content)
	s.leave()
	failed := string(r.isError) == "true"
	if failed {
		c.unknownTool(s, name, r)
		return
	}
	if r.task != nil || r.resultType != nil && string(r.resultType) != `"complete"` || !s.since(mcp.V20250618) {
		return
	}
	t := c.known(name)
	if t == nil && c.lists.outdated() {
		c.unlisted++
	}
	switch {
	case r.structured == nil:
		if t != nil && t.output != nil {
			s.found(tol05, "/structuredContent", c.byList("the tool has an outputSchema, but the result has no structuredContent"))
		}
		return
	case !isObject(r.structured) && s.before(mcp.V20260728):
		s.found(tol07, "/structuredContent", "structuredContent is "+kindOfValue(r.structured))
		return
	}
	if t == nil {
		return
	}
	if !c.turn(t) {
		return
	}
	if t.output != nil && t.output.schema != nil {
		c.conform(s, tol06, t, t.output, "/structuredContent", r.structured)
	}
	if len(r.structured) <= maxCopy && !hasCopy(r.content, r.structured) {
		detail := "structuredContent is " + message.Excerpt(string(r.structured))
		if more := addedMember(r.content, r.structured); more != "" {
			detail += ", and the text has it with one more member, " + message.Excerpt(more)
		}
		s.found(tol08, "/content", detail)
	}
}

const maxCopies = 16

// hasCopy reports whether one of the text blocks of a result has a value, or cannot be
// compared: the text is the JSON of the value or, as many SDKs wrap what a tool
// returns in an object, of its only member, or that member itself.
func hasCopy(content, value []byte) bool {
	if !isArray(content) {
		return true
	}
	blocks := 0
	for block := range message.Elements(content) {
		if !isObject(block) {
			continue
		}
		if blocks++; blocks > maxCopies {
			return true
		}
		text, ok := textOf(message.Member(block, "text"))
		if !ok {
			continue
		}
		text = bytes.TrimSpace(text)
		if bytes.Equal(text, value) || len(text) > 4*maxCopy {
			return true
		}
		only := onlyMember(value)
		if wrapped, ok := textOf(only); ok && bytes.Equal(bytes.TrimSpace(wrapped), text) {
			return true
		}
		if copied := canonicalOf(text); copied != nil && (bytes.Equal(copied, canonicalOf(value)) || bytes.Equal(copied, canonicalOf(only))) {
			return true
		}
	}
	return false
}

// addedMember returns the name of a member that a text block has in addition to those of an
// object, "" if none has all of those.
func addedMember(content, object []byte) (added string) {
	want := canonicalOf(object)
	for block := range message.Elements(content) {
		text, _ := textOf(message.Member(block, "text"))
		copied := canonicalOf(text)
		if copied == nil || !isObject(copied) || !isObject(want) {
			continue
		}
		missing, others := 0, 0
		for range message.Members(want) {
			missing++
		}
		for name, value := range message.Members(copied) {
			if bytes.Equal(value, message.Member(want, string(name))) {
				missing--
			} else {
				added, others = string(name), others+1
			}
		}
		if missing == 0 && others == 1 {
			return added
		}
	}
	return ""
}

// onlyMember returns the value of the only member of an object, nil if it has none or
// several.
func onlyMember(object []byte) (only []byte) {
	for _, value := range message.Members(object) {
		if only != nil {
			return nil
		}
		only = value
	}
	return only
}

// canonicalOf returns a JSON text in its canonical form (RFC 8785), nil if it is not
// one.
func canonicalOf(text []byte) []byte {
	v := jsontext.Value(bytes.Clone(text))
	if v.Canonicalize() != nil {
		return nil
	}
	return v
}

// unknownTool reports a failed call of a tool that is not in the list, if the server
// says that it does not know it.
func (c *Checker) unknownTool(s *messageChecker, name string, r *result) {
	latest := &c.lists.latest[toolList]
	if !c.lists.current() || !latest.complete || latest.overflow || len(name) >= maxKeptName || c.lists.tools.byName[name] != nil || len(c.lists.tools.byName) != latest.items {
		return
	}
	if !isArray(r.content) || len(r.content) > maxCopy {
		return
	}
	for block := range message.Elements(r.content) {
		text, ok := textOf(message.Member(block, "text"))
		if ok && saysUnknown(strings.ToLower(string(text))) {
			s.found(tol10, "/isError", message.Excerpt(text))
			return
		}
	}
}

// saysUnknown reports whether a text says that a tool does not exist.
func saysUnknown(text string) bool {
	for _, words := range []string{"not found", "unknown", "no such", "not exist", "-32602", "-32601"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}
