package send

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
)

// maxRequestText is how many bytes of the server's text are shown in a request; the
// detail pane shows all of it.
const maxRequestText = 16 << 10

// A textRow is a row of untrusted text; host is that of a URL.
type textRow struct{ label, text, host, rest string }

// requestText is the text of a server's request, in rows of a width.
type requestText struct {
	width int
	rows  []textRow
	used  int // bytes
}

// room reserves the bytes of a text, or marks that the limit is reached.
func (t *requestText) room(text string) string {
	switch rest := maxRequestText - t.used; {
	case rest <= 0:
		return ""
	case len(text) > rest:
		t.used = maxRequestText
		return wording.Cut(text, rest) + "\n(cut: open the request in the detail pane for the rest)"
	}
	t.used += len(text)
	return text
}

func (t *requestText) blank() { t.rows = append(t.rows, textRow{}) }

func (t *requestText) add(label, text string) {
	if text == "" {
		return
	}
	begin := label
	indent := strings.Repeat(" ", len(label))
	for line := range strings.Lines(t.room(text)) {
		for _, row := range termsafe.Wrap(strings.TrimRight(line, "\r\n"), t.width-len(label)) {
			t.rows = append(t.rows, textRow{label: begin, text: row})
			begin = indent
		}
	}
}

// json adds JSON, on several rows if it is short.
func (t *requestText) json(raw json.RawMessage) {
	var out bytes.Buffer
	if len(raw) > maxRequestText || json.Indent(&out, raw, "", "  ") != nil {
		t.add("", string(raw[:min(len(raw), maxRequestText+1)]))
		return
	}
	t.add("", out.String())
}

func (t *requestText) url(text string) {
	text = t.room(text)
	from, to := termsafe.URLHost(text)
	for at := 0; at < len(text); {
		fits, _ := termsafe.Fit([]byte(text[at:]), max(t.width, termsafe.LongestEscape), termsafe.Options{})
		end := at + max(fits, 1)
		a, b := kit.Between(at, from, end), kit.Between(at, to, end)
		t.rows = append(t.rows, textRow{text: text[at:a], host: text[a:b], rest: text[b:end]})
		at = end
	}
}

// paint paints a row, with a mark that it is the server's.
func (t *requestText) paint(l *paint.Line, on *kit.Screen, row int) {
	l.PadTo(1)
	l.Text(on.Theme.Rule, paint.Glyph(on.Look(), "┆ ", "| "))
	r := t.rows[row]
	l.Text(on.Theme.Accent, r.label)
	l.Text(on.Theme.Text, r.text)
	l.Text(on.Theme.Match, r.host)
	l.Text(on.Theme.Text, r.rest)
}

type samplingParams struct {
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

func (s *samplingParams) write(t *requestText) {
	t.add("system       ", s.System)
	for _, m := range s.Messages {
		label := fmt.Sprintf("%-12s ", m.Role)
		for _, block := range blocks(m.Content) {
			t.add(label[:min(len(label), 24)], describeBlock(block))
		}
	}
	var model []string
	for _, h := range s.Preferences.Hints {
		model = append(model, h.Name)
	}
	for _, p := range []struct {
		name  string
		value *float64
	}{{"cost", s.Preferences.Cost}, {"speed", s.Preferences.Speed}, {"intelligence", s.Preferences.Intelligence}} {
		if p.value != nil {
			model = append(model, fmt.Sprintf("%s %g", p.name, *p.value))
		}
	}
	t.add("model        ", strings.Join(model, ", "))
	t.add("max tokens   ", s.MaxTokens.String())
	t.add("temperature  ", s.Temperature.String())
	t.add("stop at      ", quotedList(s.Stop))
	t.add("context      ", s.Context)
	for _, tool := range s.Tools {
		t.add("tool         ", strings.TrimSuffix(tool.Name+": "+tool.Description, ": "))
	}
	t.add("tool choice  ", string(s.ToolChoice))
	t.add("metadata     ", string(s.Metadata))
}

// blocks returns the parts of a content, which may be one or several.
func blocks(content json.RawMessage) []json.RawMessage {
	var several []json.RawMessage
	if json.Unmarshal(content, &several) == nil {
		return several
	}
	return []json.RawMessage{content}
}

// describeBlock describes one part of a content: text as it is, data by its size,
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
		return fmt.Sprintf("[%s %s, %s of base64]", block.Type, block.MIME, wording.Size(int64(len(block.Data))))
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
