package answers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mcpdbg/framing"
	"mcpdbg/session/mcp"
)

// Modes of server requests that entries select.
const (
	Form        = "form" // of elicitation, the default
	URL         = "url"
	modeTools   = "tools" // of sampling: the request offers tools
	modeContext = "context"
)

const maxEntries = 1000

const defaultsWord = "defaults"

// An Error is a mistake in a file of answers.
type Error struct {
	Line   int    // from 1
	Member string // such as "elicitation/create, entry 2"; "" for the whole file
	Entry  int    // of a list, from 1; 0 for none
	Text   string
	offset int
}

// Error returns the line, the member and the mistake.
func (e *Error) Error() string {
	if e.Member == "" {
		return fmt.Sprintf("line %d: %s", e.Line, e.Text)
	}
	return fmt.Sprintf("line %d: %s: %s", e.Line, e.Member, e.Text)
}

// Parse reads answers by method from a JSON object such as
//
//	{"roots/list": {"roots": []}, "elicitation/create": "defaults"}
//
// Each is in one of the forms that ReadList reads. The error is an *Error.
func Parse(data []byte) (map[string]json.RawMessage, error) {
	r := reader{Decoder: jsontext.NewDecoder(bytes.NewReader(data)), data: data}
	answers := map[string]json.RawMessage{}
	err := r.object("", "the file", func(method string) error {
		value, at, err := r.value(method)
		if err != nil {
			return err
		}
		if method == "" {
			return r.fail(at, "", "the name of a method is empty")
		}
		if _, err := ReadList(method, value); err != nil {
			if e, ok := errors.AsType[*Error](err); ok {
				r.reading = e.Entry
				return r.fail(at+e.offset, e.Member, e.Text)
			}
			return err
		}
		_ = value.Compact() // it is valid
		answers[method] = json.RawMessage(value)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if _, err := r.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, r.fail(int(r.InputOffset()), "", "something follows the object")
	}
	return answers, nil
}

// A List holds the answers to one method.
type List []entry

// An entry answers the requests that it selects.
type entry struct {
	mode     string          // "" selects requests of any mode, of sampling those without one
	key      *string         // in inputRequests; nil selects any
	answer   json.RawMessage // a result, or an object with the one member error
	defaults bool            // members that the content lacks get the defaults of the schema
}

// ReadList reads the answer to a method in any of its forms. The error is
// an *Error.
func ReadList(method string, value []byte) (List, error) {
	r := reader{Decoder: jsontext.NewDecoder(bytes.NewReader(value)), data: value}
	if r.PeekKind() != '[' {
		e, err := r.bare(method)
		if err != nil {
			return nil, err
		}
		return List{e}, nil
	}
	_, _ = r.ReadToken()
	var list List
	for r.PeekKind() != ']' {
		r.reading = len(list) + 1
		name := fmt.Sprintf("%s, entry %d", method, r.reading)
		if len(list) == maxEntries {
			return nil, r.fail(r.next(), method, fmt.Sprintf("more than %d entries", maxEntries))
		}
		e, err := r.entry(method, name)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	if len(list) == 0 {
		return nil, r.fail(0, method, "the list is empty")
	}
	return list, nil
}

type reader struct {
	*jsontext.Decoder
	data    []byte
	reading int // entry of a list, from 1
}

func (r *reader) fail(offset int, member, text string) error {
	offset = min(max(offset, 0), len(r.data))
	return &Error{Line: 1 + bytes.Count(r.data[:offset], []byte{'\n'}), Member: member, Entry: r.reading, Text: text, offset: offset}
}

func (r *reader) next() int {
	at := int(r.InputOffset())
	return at + len(r.data[at:]) - len(bytes.TrimLeft(r.data[at:], " \t\r\n,:"))
}

func (r *reader) invalid(member string, err error) error {
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		text := "not valid JSON"
		switch {
		case errors.Is(err, jsontext.ErrDuplicateName):
			text = fmt.Sprintf("%q is given twice", syntax.JSONPointer.LastToken())
		case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
			text += ": it ends too early"
		case syntax.Err != nil:
			text += ": " + syntax.Err.Error()
		}
		return r.fail(int(syntax.ByteOffset), member, text)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return r.fail(len(r.data), member, "not valid JSON: it ends too early")
	}
	return r.fail(int(r.InputOffset()), member, "not valid JSON: "+err.Error())
}

// object calls each for the name of each member; it must read the value.
func (r *reader) object(member, what string, each func(name string) error) error {
	at := r.next()
	if kind := r.PeekKind(); kind != '{' && kind != 0 {
		value, err := r.ReadValue()
		if err != nil {
			return r.invalid(member, err)
		}
		return r.fail(at, member, fmt.Sprintf("%s must be an object, not %.40s", what, value))
	}
	if _, err := r.ReadToken(); err != nil {
		return r.invalid(member, err)
	}
	for {
		token, err := r.ReadToken()
		if err != nil {
			return r.invalid(member, err)
		}
		if token.Kind() == '}' {
			return nil
		}
		if err := each(token.String()); err != nil {
			return err
		}
	}
}

func (r *reader) value(member string) (jsontext.Value, int, error) {
	at := r.next()
	value, err := r.ReadValue()
	if err != nil {
		return nil, at, r.invalid(member, err)
	}
	return value.Clone(), at, nil
}

func (r *reader) bare(method string) (entry, error) {
	value, at, err := r.value(method)
	if err != nil {
		return entry{}, err
	}
	if e, ok, err := r.word(method, method, value, at); ok || err != nil {
		return e, err
	}
	if value.Kind() != '{' {
		return entry{}, r.fail(at, method, fmt.Sprintf(`must be a result object, {"error": {...}}, "defaults" or a list, not %.40s`, value))
	}
	e := entry{mode: defaultMode(method), answer: json.RawMessage(value)}.completed(method)
	if !accepts(e.answer) {
		e.mode = "" // a refusal is one in any mode
	}
	return e, nil
}

// accepts reports whether an answer accepts an elicitation.
func accepts(answer json.RawMessage) bool {
	var result struct {
		Action string `json:"action"`
	}
	return json.Unmarshal(answer, &result) == nil && result.Action == "accept"
}

// word returns the entry for the word "defaults"; ok is false for other values.
func (r *reader) word(method, name string, value jsontext.Value, at int) (e entry, ok bool, err error) {
	if string(value) != `"`+defaultsWord+`"` {
		return entry{}, false, nil
	}
	if method != mcp.MethodElicit {
		return entry{}, true, r.fail(at, name, "only "+mcp.MethodElicit+" has defaults")
	}
	return entry{mode: Form, answer: json.RawMessage(accepted), defaults: true}, true, nil
}

// entryMembers are the members of an entry of a list.
const entryMembers = "mode, key, result, error or defaults"

func (r *reader) entry(method, name string) (entry, error) {
	begin := r.next()
	if r.PeekKind() == '"' {
		value, at, err := r.value(name)
		if err != nil {
			return entry{}, err
		}
		e, ok, err := r.word(method, name, value, at)
		if !ok && err == nil {
			err = r.fail(at, name, fmt.Sprintf(`must be an object or "defaults", not %.40s`, value))
		}
		return e, err
	}
	e := entry{mode: defaultMode(method)}
	var failure json.RawMessage
	err := r.object(name, "an entry", func(member string) error {
		at := r.next()
		value, _, err := r.value(name)
		if err != nil {
			return err
		}
		switch member {
		case "mode":
			if modes := modesOf(method); value.Kind() != '"' || !slices.Contains(modes, unquoted(value)) {
				return r.fail(at, name, fmt.Sprintf("mode %.40s: %s", value, knownModes(method, modes)))
			}
			e.mode = unquoted(value)
		case "key":
			if value.Kind() != '"' {
				return r.fail(at, name, fmt.Sprintf("key must be a string, not %.40s", value))
			}
			key := unquoted(value)
			e.key = &key
		case "defaults":
			if kind := value.Kind(); kind != 't' && kind != 'f' {
				return r.fail(at, name, fmt.Sprintf("defaults must be true or false, not %.40s", value))
			}
			if e.defaults = value.Kind() == 't'; e.defaults && method != mcp.MethodElicit {
				return r.fail(at, name, "only "+mcp.MethodElicit+" has defaults")
			}
		case "result", "error":
			if value.Kind() != '{' {
				return r.fail(at, name, fmt.Sprintf("%s must be an object, not %.40s", member, value))
			}
			if member == "error" {
				failure = json.RawMessage(value)
			} else {
				e.answer = json.RawMessage(value)
			}
		default:
			return r.fail(at, name, fmt.Sprintf("unknown member %q: must be %s", member, entryMembers))
		}
		return nil
	})
	switch {
	case err != nil:
		return e, err
	case failure != nil && (e.answer != nil || e.defaults):
		return e, r.fail(begin, name, "error cannot be combined with result or defaults")
	case failure != nil:
		e.answer = slices.Concat(json.RawMessage(`{"error":`), failure, json.RawMessage(`}`))
	case e.answer == nil && !e.defaults:
		return e, r.fail(begin, name, "the answer is missing: add result, error or defaults")
	case e.defaults && e.mode == URL:
		return e, r.fail(begin, name, "mode url has no defaults: its answer has no content")
	case e.answer == nil:
		e.answer = json.RawMessage(accepted)
	}
	return e.completed(method), nil
}

const accepted = `{"action":"accept"}`

// completed returns e with defaults set if its result accepts a form without
// content.
func (e entry) completed(method string) entry {
	var line bytes.Buffer
	_ = json.Compact(&line, e.answer) // it is valid
	e.answer = line.Bytes()
	if method == mcp.MethodElicit && e.mode == Form && accepts(e.answer) && framing.Member(e.answer, "content") == (framing.Span{}) {
		e.defaults = true
	}
	return e
}

// modesOf returns the modes that entries of a method can select.
func modesOf(method string) []string {
	switch method {
	case mcp.MethodElicit:
		return []string{Form, URL}
	case mcp.MethodSample:
		return []string{modeTools, modeContext}
	}
	return nil
}

func defaultMode(method string) string {
	if method == mcp.MethodElicit {
		return Form
	}
	return ""
}

func knownModes(method string, modes []string) string {
	if len(modes) == 0 {
		return method + " has no modes"
	}
	return "must be " + strings.Join(modes, " or ")
}

func unquoted(value jsontext.Value) string {
	text, _ := jsontext.AppendUnquote(nil, value)
	return string(text)
}
