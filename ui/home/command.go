package home

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/internal/wording"
	"mcpdbg/ui/host"
	"mcpdbg/ui/kit"
)

// find returns the items that match what was typed, and the row that starts it as a
// command. That row is first for what looks like a command and is part of no name, and
// otherwise last.
func (v *View) find(query string) []kit.Pick {
	found := v.picker.Search(query, nil)
	searched := strings.TrimSpace(query) != ""
	found = slices.DeleteFunc(found, func(p kit.Pick) bool {
		item := &v.found.Items[p.Item]
		if searched {
			return item.Kind == host.GroupItem
		}
		return item.Kind != host.GroupItem && item.Group != "" && !v.grouped[item.Group]
	})
	if !searched {
		return found
	}
	typed := kit.Pick{Item: len(v.found.Items)}
	if looksLikeCommand(query) && !v.named(query, found) {
		return append([]kit.Pick{typed}, found...)
	}
	return append(found, typed)
}

// looksLikeCommand reports whether a text has several words, or begins with a flag or
// a path.
func looksLikeCommand(text string) bool {
	return strings.ContainsAny(strings.TrimSpace(text), " \"'") || strings.ContainsAny(text[:1], "-./~")
}

func (v *View) named(text string, among []kit.Pick) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	for _, pick := range among {
		if strings.Contains(strings.ToLower(v.found.Items[pick.Item].Name), text) {
			return true
		}
	}
	return false
}

// The last item is the command that was typed.
func (v *View) item(n int) host.Item {
	if n < len(v.found.Items) {
		return v.found.Items[n]
	}
	text := strings.TrimSpace(v.picker.Query)
	return host.Item{Kind: host.CommandItem, Name: text, Command: text, From: "start this command as a server"}
}

func splitCommand(item *host.Item) (err error) {
	if item.Words, err = wording.SplitWords(item.Command); err != nil {
		return fmt.Errorf("cannot start the command: %w", err)
	}
	if len(item.Words) == 0 || item.Words[0] == "" {
		return errors.New("cannot start the command: it is empty")
	}
	return nil
}

func hasCommand(c host.Context) (bool, string) {
	v, ok := c.View.(*View)
	if !ok {
		return false, "no entry is selected"
	}
	item, ok := v.picked()
	return ok && item.Kind == host.RecordingItem && len(item.Words) > 0, "only commands of recordings can be edited"
}

func editCommand(c host.Context, v *View) tea.Cmd {
	item, _ := v.picked()
	v.picker.Ask(kit.QuoteWords(item.Words))
	for at, pick := range v.picker.Shown {
		if pick.Item == len(v.found.Items) {
			v.picker.At = at
		}
	}
	v.wrong = ""
	return v.read(c)
}
