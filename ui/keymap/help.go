package keymap

import (
	"cmp"
	"fmt"
	"strings"
)

// Group is the part of the help screen about one scope.
type Group struct {
	Title   string
	Entries []Entry
}

// Entry is one action on the help screen.
type Entry struct {
	ID          string
	Keys        []string
	Title, Help string
	Destructive bool
	// Disabled is why the action is not possible now, empty if it is.
	Disabled string
}

// Help returns everything that can be done: first what a scope reaches, its own
// actions and then the global ones, and after that the other scopes. Whether
// something is possible now is said of the former only.
func (t *Table[C]) Help(scope string, c C) []Group {
	var groups []Group
	add := func(a *Action[C], disabled string) {
		s, _ := t.scope(a.Scope)
		if len(groups) == 0 || groups[len(groups)-1].Title != s.Title {
			groups = append(groups, Group{Title: s.Title})
		}
		group := &groups[len(groups)-1]
		group.Entries = append(group.Entries, Entry{
			ID: a.ID, Keys: a.Keys, Title: a.Title, Help: a.Help, Destructive: a.Destructive, Disabled: disabled,
		})
	}
	reached := map[string]bool{}
	for _, a := range t.Reachable(scope) {
		reached[a.ID] = true
		disabled := ""
		if ok, reason := a.State(c); !ok {
			disabled = cmp.Or(reason, "not possible now")
		}
		add(a, disabled)
	}
	for _, s := range t.scopes {
		for _, a := range t.own(s.ID) {
			if !reached[a.ID] {
				add(a, "")
			}
		}
	}
	return groups
}

// Markdown returns the whole table for the README, one section for each scope
// that has actions.
func (t *Table[C]) Markdown() string {
	return t.sections(func(b *strings.Builder, title string, actions []*Action[C]) {
		fmt.Fprintf(b, "### %s\n\n| keys | action | what it does |\n|---|---|---|\n", title)
		for _, a := range actions {
			help := a.Help
			if a.Destructive {
				help += " Asks first."
			}
			fmt.Fprintf(b, "| %s | %s | %s |\n", markdownKeys(a.Keys), cell(a.Title), cell(help))
		}
	})
}

// Text returns the whole table as text, with the names of the actions.
func (t *Table[C]) Text() string {
	return t.sections(func(b *strings.Builder, title string, actions []*Action[C]) {
		fmt.Fprintln(b, title)
		for _, a := range actions {
			fmt.Fprintf(b, "  %-20s %-24s %s\n", cmp.Or(strings.Join(a.Keys, " "), "(palette)"), a.ID, a.Help)
		}
	})
}

// sections writes a section for each scope that has actions, and an empty line
// between two.
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

// cell escapes what would end a cell of a table, also inside code.
func cell(text string) string {
	return strings.ReplaceAll(text, "|", `\|`)
}
