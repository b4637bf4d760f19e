package detail

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/ui/host"
	"mcpdbg/ui/widget/jsontree"
)

// anyName is the jq program for the names of all members of the message.
const anyName = ".. | objects | keys[]"

// .content[0].te is the text .content[0] and the beginning of a name, te; ok is false if
// the expression does not end with one.
func splitMember(expression string) (head, name string, ok bool) {
	head = strings.TrimRight(expression, "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	name = expression[len(head):]
	head, ok = strings.CutSuffix(head, ".")
	return head, name, ok
}

// namesAt returns the names of the members that can follow an expression. If it is
// not complete, as in map(.a, they are those of all members of the message.
func (q *queried) namesAt(ctx context.Context, head string) ([]string, error) {
	for _, value := range []string{head, head + "."} {
		names, err := q.names(ctx, value+" | objects | keys[]")
		if err == nil && len(names) > 0 || ctx.Err() != nil {
			return names, err
		}
	}
	return q.names(ctx, anyName)
}

type completed struct {
	bar    *jqBar
	number int
	names  []string
	err    error
}

// complete completes the name at the end of the text, in a command.
func (b *jqBar) complete(c host.Context) tea.Cmd {
	head, _, ok := splitMember(b.input.Value())
	if !ok || b.input.Position() < utf8.RuneCountInString(b.input.Value()) {
		b.says("tab completes the name after a . at the end", false)
		return nil
	}
	if len(b.message.doc) > maxTyped {
		b.says("names are not completed in a message of this size", false)
		return nil
	}
	ctx, number := b.begin(c), b.number
	return func() tea.Msg {
		names, err := b.message.namesAt(ctx, head)
		return completed{b, number, names, err}
	}
}

// Deliver inserts the name if there is one, or as much as all have in common, and
// lists them; unless the text has changed.
func (msg completed) Deliver(c host.Context) tea.Cmd {
	b := msg.bar
	if b.number != msg.number || !b.open {
		return nil
	}
	head, name, _ := splitMember(b.input.Value())
	ways := slices.DeleteFunc(msg.names, func(way string) bool { return !strings.HasPrefix(way, name) })
	switch {
	case msg.err != nil:
		b.says("jq: "+msg.err.Error(), true)
		return nil
	case len(ways) == 0:
		b.says("no member begins with "+name, false)
		return nil
	case len(ways) == 1:
		b.input.SetValue(head + jsontree.JQMember(ways[0]))
	default:
		if longer := jsontree.JQMember(common(ways)); !strings.HasPrefix(longer, `."`) {
			b.input.SetValue(head + longer)
		}
	}
	b.input.CursorEnd()
	cmd := b.changed(c)
	if len(ways) > 1 {
		b.offers = strings.Join(ways, "  ")
	}
	return cmd
}

func common(texts []string) string {
	start := texts[0]
	for _, text := range texts[1:] {
		for !strings.HasPrefix(text, start) {
			start = start[:len(start)-1]
		}
	}
	return start
}
