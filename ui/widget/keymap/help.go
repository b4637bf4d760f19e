package keymap

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Entry is one action on the help screen or in the palette.
type Entry struct {
	ID, Scope   string
	Keys        []string
	Title, Help string
	Synonyms    []string
	Words       []string
	Priority    int
	// why the action is not possible now, or ""
	Disabled string
}

// Elsewhere returns the actions that cannot be reached from a scope.
func (t *Table[C]) Elsewhere(scope string) (entries []Entry) {
	for i := range t.actions {
		if a := &t.actions[i]; !slices.Contains(t.Reachable(scope), a) {
			entries = append(entries, a.entry())
		}
	}
	return entries
}

// Offered returns the actions reachable from a scope, in the order of Reachable, each
// with the reason why it is not possible now.
func (t *Table[C]) Offered(scope string, c C) []Entry {
	reachable := t.Reachable(scope)
	entries := make([]Entry, len(reachable))
	for i, a := range reachable {
		entries[i] = a.now(c)
	}
	return entries
}

func (a *Action[C]) entry() Entry {
	return Entry{
		ID: a.ID, Scope: a.Scope, Keys: a.Keys, Title: a.Title, Help: a.Help, Synonyms: a.Synonyms, Words: a.Words, Priority: a.Priority,
	}
}

func (a *Action[C]) now(c C) Entry {
	e := a.entry()
	if ok, reason := a.State(c); !ok {
		e.Disabled = cmp.Or(reason, "not possible now")
	}
	return e
}

// Markdown returns the table as Markdown, one section for each scope with actions.
func (t *Table[C]) Markdown() string {
	return t.sections(func(b *strings.Builder, title string, actions []*Action[C]) {
		fmt.Fprintf(b, "## %s\n\n| keys | action | what it does |\n|---|---|---|\n", title)
		for _, a := range actions {
			help := a.Help
			if a.Asks != "" {
				help += " Asks " + a.Asks + "."
			}
			fmt.Fprintf(b, "| %s | %s | %s |\n", markdownKeys(a.Keys), cell(a.Title), cell(help))
		}
	})
}

// Text returns the table as text, with the names of the actions.
func (t *Table[C]) Text() string {
	return t.sections(func(b *strings.Builder, title string, actions []*Action[C]) {
		fmt.Fprintln(b, title)
		for _, a := range actions {
			fmt.Fprintf(b, "  %-20s %-24s %s\n", cmp.Or(strings.Join(a.Keys, " "), "(palette)"), a.ID, a.Help)
		}
	})
}

func (t *Table[C]) sections(write func(b *strings.Builder, title string, actions []*Action[C])) string {
	var b strings.Builder
	for _, s := range t.scopes {
		actions := t.own(s.ID)
		if len(actions) == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		write(&b, s.Title, actions)
	}
	return b.String()
}

func markdownKeys(keys []string) string {
	if len(keys) == 0 {
		return "palette"
	}
	quoted := make([]string, len(keys))
	for i, key := range keys {
		quoted[i] = "`" + key + "`"
		if key == "`" {
			quoted[i] = "`` ` ``"
		}
	}
	return cell(strings.Join(quoted, " "))
}

// cell escapes characters that would end a table cell, even inside code.
func cell(text string) string {
	return strings.ReplaceAll(text, "|", `\|`)
}
