package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"mcpdbg/ui/paint"
	"mcpdbg/ui/termsafe"
	"mcpdbg/ui/theme"
)

// maxWords is how many bytes of what a server says are shown with a question;
// all of it is in the detail pane.
const maxWords = 16 << 10

// A tone is how a part of what a server says is shown.
type tone uint8

// The tones.
const (
	tonePlain tone = iota
	toneLabel
	toneDim
	toneHost
)

func (t tone) style(th *theme.Theme) theme.Style {
	return [...]theme.Style{tonePlain: th.Text, toneLabel: th.Key, toneDim: th.Dim, toneHost: th.Match}[t]
}

// A wordSpan is text in one tone. All of it is untrusted.
type wordSpan struct {
	tone tone
	text string
}

// words are what a server says, in rows of a width.
type words struct {
	width int
	rows  [][]wordSpan
	used  int // bytes
}

// room takes n bytes of a text, or says that there is no room for more.
func (w *words) room(text string) string {
	switch rest := maxWords - w.used; {
	case rest <= 0:
		return ""
	case len(text) > rest:
		w.used = maxWords
		return cutText(text, rest) + "\n(more is in the detail pane: enter on the request)"
	}
	w.used += len(text)
	return text
}

func (w *words) blank() { w.rows = append(w.rows, nil) }

// text adds a text behind a label, in as many rows as it takes.
func (w *words) text(label, text string) {
	if text == "" {
		return
	}
	begin := label
	indent := strings.Repeat(" ", len(label))
	for line := range strings.Lines(w.room(text)) {
		for _, row := range wrap(strings.TrimRight(line, "\r\n"), w.width-len(label)) {
			w.rows = append(w.rows, []wordSpan{{toneLabel, begin}, {tonePlain, row}})
			begin = indent
		}
	}
}

// json adds JSON, over several rows if it is short.
func (w *words) json(raw json.RawMessage) {
	var out bytes.Buffer
	if len(raw) > maxWords || json.Indent(&out, raw, "", "  ") != nil {
		w.text("", string(raw[:min(len(raw), maxWords+1)]))
		return
	}
	w.text("", out.String())
}

// url adds an address in full, its host marked.
func (w *words) url(text string) {
	text = w.room(text)
	from, to := hostOf(text)
	for at := 0; at < len(text); {
		fits, _ := termsafe.Fit([]byte(text[at:]), max(w.width, termsafe.LongestEscape), termsafe.Options{})
		end := at + max(fits, 1)
		a, b := between(at, from, end), between(at, to, end)
		w.rows = append(w.rows, []wordSpan{{tonePlain, text[at:a]}, {toneHost, text[a:b]}, {tonePlain, text[b:end]}})
		at = end
	}
}

// paint paints the rows from one on.
func (w *words) paint(out *paint.Lines, th *theme.Theme, from int) {
	_, h := out.Size()
	for y := range min(h, len(w.rows)-from) {
		l := out.Line(y)
		l.PadTo(1)
		for _, span := range w.rows[from+y] {
			l.Text(span.tone.style(th), span.text)
		}
	}
}

// sampling is what is asked of a model.
type sampling struct {
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	System      string `json:"systemPrompt"`
	Preferences struct {
		Hints []struct {
			Name string `json:"name"`
		} `json:"hints"`
		Cost         *float64 `json:"costPriority"`
		Speed        *float64 `json:"speedPriority"`
		Intelligence *float64 `json:"intelligencePriority"`
	} `json:"modelPreferences"`
	Context     string      `json:"includeContext"`
	Temperature json.Number `json:"temperature"`
	MaxTokens   json.Number `json:"maxTokens"`
	Stop        []string    `json:"stopSequences"`
	Tools       []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"tools"`
	ToolChoice json.RawMessage `json:"toolChoice"`
	Metadata   json.RawMessage `json:"metadata"`
}

func (s *sampling) say(w *words) {
	w.text("system       ", s.System)
	for _, m := range s.Messages {
		label := fmt.Sprintf("%-12s ", m.Role)
		for _, block := range blocks(m.Content) {
			w.text(label[:min(len(label), 24)], describeBlock(block))
		}
	}
	var wishes []string
	for _, h := range s.Preferences.Hints {
		wishes = append(wishes, h.Name)
	}
	for _, p := range []struct {
		name  string
		value *float64
	}{{"cost", s.Preferences.Cost}, {"speed", s.Preferences.Speed}, {"intelligence", s.Preferences.Intelligence}} {
		if p.value != nil {
			wishes = append(wishes, fmt.Sprintf("%s %g", p.name, *p.value))
		}
	}
	w.text("model        ", strings.Join(wishes, ", "))
	w.text("max tokens   ", s.MaxTokens.String())
	w.text("temperature  ", s.Temperature.String())
	w.text("stop at      ", quotedList(s.Stop))
	w.text("context      ", s.Context)
	for _, t := range s.Tools {
		w.text("tool         ", strings.TrimSuffix(t.Name+": "+t.Description, ": "))
	}
	w.text("tool choice  ", string(s.ToolChoice))
	w.text("metadata     ", string(s.Metadata))
}

// blocks are the parts of a content, which may be one or several.
func blocks(content json.RawMessage) []json.RawMessage {
	var several []json.RawMessage
	if json.Unmarshal(content, &several) == nil {
		return several
	}
	return []json.RawMessage{content}
}

// describeBlock shows one part of a content: text as it is, data by its size, and
// anything else as JSON.
func describeBlock(raw json.RawMessage) string {
	var block struct {
		Type string `json:"type"`
		Text string `json:"text"`
		Data string `json:"data"`
		MIME string `json:"mimeType"`
	}
	if json.Unmarshal(raw, &block) != nil {
		return string(raw)
	}
	switch block.Type {
	case "text":
		return block.Text
	case "image", "audio":
		return fmt.Sprintf("[%s %s, %s of base64]", block.Type, block.MIME, size(int64(len(block.Data))))
	}
	return string(raw)
}

func quotedList(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = fmt.Sprintf("%q", text)
	}
	return strings.Join(quoted, ", ")
}
