package send

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/session"
	"mcpdbg/session/mcp"
	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/form"
	"mcpdbg/ui/workspace"
)

const (
	// completeAfter is how long nothing must be typed before the server is
	// asked for completions.
	completeAfter   = 200 * time.Millisecond
	completeTimeout = 10 * time.Second
	// maxSuggestions is the maximum number of suggestions, as in the protocol,
	// and maxSuggestion the maximum size of one in bytes.
	maxSuggestions = 100
	maxSuggestion  = 4096
	// contextSince is the first revision whose completion requests may carry
	// the other arguments.
	contextSince = mcp.V20250618
)

type completing struct {
	asked  string // field and text of the latest request
	off    bool   // the server does not complete
	tokens []string
}

// Only prompts and templates have completions.
func (p *Composer) suggestLater(c host.Context) tea.Cmd {
	if p.view != formView || p.completing.off || p.target.item.Member == workspace.MemberTools || !p.completes(c) {
		return nil
	}
	f, path := p.form, p.form.Path()
	text, err := f.Text(path)
	asked := path + "\x00" + text
	if err != nil || path == "" || asked == p.completing.asked {
		return nil
	}
	p.completing.asked = asked
	return c.Host.After(completeAfter, host.Result{Then: func(c host.Context) tea.Cmd {
		if p.form != f || p.completing.asked != asked {
			return nil
		}
		return p.complete(c, f, path, text)
	}})
}

// The first revision with the method did not have the capability yet.
func (p *Composer) completes(c host.Context) bool {
	if ok, _ := host.CanSend(c); !ok {
		return false
	}
	var declared map[string]json.RawMessage
	_ = json.Unmarshal(c.Workspace.Status.Server.Capabilities, &declared)
	_, ok := declared["completions"]
	return ok || c.Workspace.Status.Server.Protocol == "2024-11-05"
}

func (p *Composer) complete(c host.Context, f *form.Form, path, text string) tea.Cmd {
	t := p.target
	params := map[string]any{
		"ref":      map[string]string{"type": "ref/prompt", "name": t.item.Key},
		"argument": map[string]string{"name": form.NameOf(path), "value": text},
	}
	if t.item.Member == workspace.MemberTemplates {
		params["ref"] = map[string]string{"type": "ref/resource", "uri": t.item.Key}
	}
	if c.Workspace.Status.Server.Protocol >= contextSince {
		arguments, _ := f.JSON()
		params["context"] = map[string]any{"arguments": json.RawMessage(arguments)}
	}
	raw, err := json.Marshal(params)
	if err != nil {
		return nil
	}
	s, ctx := c.Workspace.Session, c.Host.Lifetime()
	return func() tea.Msg {
		resp, err := s.Request(ctx, mcp.MethodComplete, raw, session.CallOptions{Timeout: completeTimeout})
		if err == nil && resp.Error != nil {
			err = resp.Error
		}
		suggestions := suggestionsOf(resp.Result) // of a response that may be long
		return host.Result{What: "completion", Err: err, Then: func(c host.Context) tea.Cmd {
			if p.form != f {
				return nil
			}
			p.completing.off = err != nil
			f.SetSuggestions(path, suggestions)
			c.Host.Redraw()
			return c.Panes().Refresh()
		}}
	}
}

func suggestionsOf(answer json.RawMessage) []string {
	var r struct {
		Completion struct {
			Values []string `json:"values"`
		} `json:"completion"`
	}
	_ = json.Unmarshal(answer, &r) // anything but a list of texts suggests nothing
	values := slices.DeleteFunc(r.Completion.Values, func(s string) bool { return len(s) > maxSuggestion })
	return values[:min(len(values), maxSuggestions)]
}

func (p *Composer) completeText(c host.Context) tea.Cmd {
	if p.view != messageView || p.area.Long != "" {
		return nil
	}
	line := strings.Split(p.area.Area.Value(), "\n")[p.area.Area.Line()]
	runes := []rune(line)
	before := string(runes[:min(p.area.Area.Column(), len(runes))])
	quote := strings.LastIndexByte(before, '"')
	if quote < 0 {
		c.Host.Warn("only a word that begins with \" can be completed")
		return nil
	}
	word := before[quote+1:]
	found, rest := completions(word, completionWords(c.Workspace))
	if rest != "" {
		p.area.Area.InsertString(rest)
	}
	p.completing.tokens = found[:min(len(found), maxSuggestions)]
	if len(found) == 0 {
		c.Host.Warn("no completion for " + word)
	}
	return p.keepLater(c)
}

// completions returns the words with the prefix word, and the longest text that
// all of them continue with.
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

// completionWords returns the words likely in a message: methods, and names in the
// catalog.
func completionWords(w *workspace.Workspace) []string {
	words := append(mcp.Sent(),
		"jsonrpc", "method", "params", "arguments", "name", "_meta", "cursor", "uri", "progressToken", "requestId")
	for _, l := range w.Shown.Catalog.Lists {
		for _, item := range l.Items {
			words = append(words, item.Key)
		}
	}
	return words
}
