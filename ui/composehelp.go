package ui

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/form"
)

const (
	// completeAfter is how long nothing may have been typed before the server is
	// asked what it could be.
	completeAfter = 200 * time.Millisecond
	// completeTimeout is how long it may take to answer.
	completeTimeout = 10 * time.Second
	// maxSuggestions is how many there are at most, as the protocol has it, and
	// maxSuggestion is how many bytes one may have.
	maxSuggestions = 100
	maxSuggestion  = 4096
	// contextSince is the first revision in which a completion may know the other
	// arguments.
	contextSince = "2025-06-18"
)

const methodComplete = "completion/complete"

// completing is how far the completion of a text is.
type completing struct {
	asked  string // field and text that the server was asked about last
	off    bool   // the server does not complete
	tokens []string
}

// suggestLater asks the server what the field under the cursor could be, once
// nothing has been typed for a while. Only prompts and templates have that.
func (a *App) suggestLater() tea.Cmd {
	c := a.composer
	if c.view != composeForm || c.completing.off || c.target.item.member == memberTools || !a.completes() {
		return nil
	}
	f, path := c.form, c.form.Path()
	text, err := f.Text(path)
	asked := path + "\x00" + text
	if err != nil || path == "" || asked == c.completing.asked {
		return nil
	}
	c.completing.asked = asked
	return a.later(completeAfter, result{then: func(a *App) tea.Cmd {
		if a.composer.form != f || a.composer.completing.asked != asked {
			return nil
		}
		return a.complete(f, path, text)
	}})
}

// completes tells whether the server says that it completes. The revision before
// there was such a capability had the method.
func (a *App) completes() bool {
	if ok, _ := canSend(a); !ok {
		return false
	}
	var declared map[string]json.RawMessage
	_ = json.Unmarshal(a.status.Server.Capabilities, &declared)
	_, ok := declared["completions"]
	return ok || a.status.Server.Protocol == "2024-11-05"
}

// complete asks the server what a field could be.
func (a *App) complete(f *form.Form, path, text string) tea.Cmd {
	t := a.composer.target
	params := map[string]any{
		"ref":      map[string]string{"type": "ref/prompt", "name": t.item.key},
		"argument": map[string]string{"name": form.NameOf(path), "value": text},
	}
	if t.item.member == memberTemplates {
		params["ref"] = map[string]string{"type": "ref/resource", "uri": t.item.key}
	}
	if a.status.Server.Protocol >= contextSince {
		arguments, _ := f.JSON()
		params["context"] = map[string]any{"arguments": json.RawMessage(arguments)}
	}
	raw, err := json.Marshal(params)
	if err != nil {
		return nil
	}
	s, ctx := a.session, a.ctx
	return func() tea.Msg {
		resp, err := s.Request(ctx, methodComplete, raw, session.CallOptions{Timeout: completeTimeout})
		if err == nil && resp.Error != nil {
			err = resp.Error
		}
		suggestions := suggestionsOf(resp.Result) // of an answer that may be long
		return result{what: "completion", err: err, then: func(a *App) tea.Cmd {
			if a.composer.form != f {
				return nil
			}
			a.composer.completing.off = err != nil
			f.SetSuggestions(path, suggestions)
			a.mark(composerID)
			return a.refresh()
		}}
	}
}

func suggestionsOf(answer json.RawMessage) []string {
	var r struct {
		Completion struct {
			Values []string `json:"values"`
		} `json:"completion"`
	}
	_ = json.Unmarshal(answer, &r) // what is no list of texts suggests nothing
	values := slices.DeleteFunc(r.Completion.Values, func(s string) bool { return len(s) > maxSuggestion })
	return values[:min(len(values), maxSuggestions)]
}

// completeText completes the word before the cursor of a message: a method, or
// the name of something that the server offers.
func (a *App) completeText() tea.Cmd {
	c := a.composer
	if c.view != composeMessage || c.area.long != "" {
		return nil
	}
	line := strings.Split(c.area.area.Value(), "\n")[c.area.area.Line()]
	runes := []rune(line)
	before := string(runes[:min(c.area.area.Column(), len(runes))])
	quote := strings.LastIndexByte(before, '"')
	if quote < 0 {
		a.complain("a word that begins with \" can be completed")
		return nil
	}
	word := before[quote+1:]
	found, rest := completions(word, a.words())
	if rest != "" {
		c.area.area.InsertString(rest)
	}
	c.completing.tokens = found[:min(len(found), maxSuggestions)]
	if len(found) == 0 {
		a.complain("nothing known begins with " + word)
	}
	return a.keepLater()
}

// completions are the words that begin as one does, and what all of them go on
// with.
func completions(word string, words []string) (found []string, rest string) {
	for _, w := range words {
		if strings.HasPrefix(w, word) && w != word {
			if found == nil {
				rest = w[len(word):]
			}
			found = append(found, w)
			for !strings.HasPrefix(w[len(word):], rest) {
				rest = rest[:len(rest)-1]
			}
		}
	}
	return found, strings.ToValidUTF8(rest, "")
}

// words are what a message may well hold: methods, and what the server offers.
func (a *App) words() []string {
	words := []string{
		mcp.MethodPing, mcp.MethodInitialize, mcp.MethodInitialized, mcp.MethodDiscover, mcp.MethodToolsCall, methodPromptsGet, methodRead,
		"resources/subscribe", "resources/unsubscribe", "subscriptions/listen", methodComplete, "logging/setLevel",
		"tasks/get", "tasks/result", "tasks/cancel", "tasks/list", mcp.MethodCancelled, mcp.MethodProgress, "notifications/roots/list_changed",
		"jsonrpc", "method", "params", "arguments", "name", "_meta", "cursor", "uri", "progressToken", "requestId",
	}
	for _, l := range a.catalog.lists {
		words = append(words, l.Method)
		for _, item := range l.items {
			words = append(words, item.key)
		}
	}
	return words
}

// recalling is how far back in what was sent a text was set, and what stood
// there before.
type recalling struct {
	steps int
	draft string
}

// recall puts something sent earlier into the field or the text, or with by < 0
// something later.
func (a *App) recall(by int) tea.Cmd {
	c := a.composer
	if c.view == composeForm {
		if by > 0 && !c.form.HistoryPrev() || by < 0 && !c.form.HistoryNext() {
			a.complain("nothing else was sent in this field")
			return nil
		}
		return a.suggestLater()
	}
	sent, b := c.drafts.history(c.draftName()), c.box()
	r := c.recalling
	if r.steps == 0 {
		r.draft = b.Value()
	}
	r.steps += by
	switch {
	case r.steps < 0 || r.steps > len(sent):
		a.complain("nothing else was sent from here")
		return nil
	case r.steps == 0:
		b.SetValue(r.draft)
	case c.view == composeJSON:
		b.SetValue(spread([]byte(sent[r.steps-1])))
	default:
		b.SetValue(sent[r.steps-1])
	}
	c.recalling = r
	return a.keepLater()
}

// draftName is the name of the draft of the view.
func (c *composer) draftName() string {
	switch c.view {
	case composeMessage:
		return draftMessage
	case composeRaw:
		return draftRaw
	}
	return c.target.draft()
}

// setHistory tells the form what was sent earlier in each field.
func (c *composer) setHistory() {
	texts := map[string][]string{}
	for _, sent := range c.drafts.history(c.target.draft()) {
		leaves("", json.RawMessage(sent), 0, func(path, text string) {
			if !slices.Contains(texts[path], text) {
				texts[path] = append(texts[path], text)
			}
		})
	}
	for path, list := range texts {
		c.form.SetHistory(path, list)
	}
}

// leaves goes through the values in an object, with their JSON Pointers: the
// text of a string, the JSON of anything else.
func leaves(path string, raw json.RawMessage, depth int, take func(path, text string)) {
	const deepest = 8
	var text string
	if json.Unmarshal(raw, &text) == nil {
		take(path, text)
		return
	}
	if depth > 0 {
		take(path, string(raw))
	}
	if depth == deepest {
		return
	}
	for name, value := range members(raw) {
		leaves(form.Below(path, name), value, depth+1, take)
	}
}
