package match

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRulesRoundTrip(t *testing.T) {
	rules := []Rule{
		{Action: ActionIgnore, Pointer: "/result/_meta"},
		{Action: ActionIgnore, Method: "tools/call:echo", Pointer: "/result/content/*/text"},
		{Action: ActionMask, Method: "tools/call:two words", Pointer: "/result/a b/~1#\"é", Type: TypeTime},
		{Action: ActionKeep, Method: "a*", Pointer: "/result/at"},
		{Action: ActionIgnore, Method: "#x", Pointer: ""},
	}
	var b bytes.Buffer
	b.WriteString(rulesHelp)
	require.NoError(t, writeRules(&b, rules))
	read, err := ReadRules(&b, "x")
	require.NoError(t, err)
	require.Equal(t, rules, read.List)
}

func TestRulesErrorsNameTheLine(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"# fine\n\nforget * /a", `r:3: unknown action "forget": use ignore, mask or keep`},
		{"ignore /a", "r:1: ignore requires a method and a pointer, got 1 words"},
		{"mask * /a", "r:1: mask requires a method, a pointer and a type, got 2 words"},
		{"mask * /a hour", `r:1: unknown type "hour": use one of any, time, epoch, id, duration, pid, port, temp-path`},
		{"ignore * a", `r:1: invalid pointer "a": must begin with /`},
		{"ignore * /a~2", `r:1: invalid pointer "/a~2": write ~0 for ~, and ~1 for / in a name`},
		{`ignore * "/a`, `r:1: invalid quoted word "/a: must be a JSON string`},
		{"ignore * /a\nignore * /" + strings.Repeat("a", maxRulesLine), "r:2: line too long"},
	} {
		_, err := ReadRules(strings.NewReader(c.text), "r")
		require.EqualError(t, err, c.want)
		var at *RulesError
		require.ErrorAs(t, err, &at)
	}
}

func TestLastRuleForAPlaceWins(t *testing.T) {
	rules, err := ReadRules(strings.NewReader("ignore * /result/a\nkeep tools/call /result/a/*/x\nmask tools/call:echo /result/a/1/x time"), "r")
	require.NoError(t, err)
	at := func(method, subject string, pointer Pointer) Action {
		action, _ := rules.For(method, subject).At(pointer.Tokens())
		return action
	}
	require.Equal(t, ActionIgnore, at("ping", "", "/result/a"))
	require.Equal(t, ActionIgnore, at("ping", "", "/result/a/b/x"))
	require.Equal(t, ActionNone, at("ping", "", "/result"))
	require.Equal(t, ActionKeep, at("tools/call", "add", "/result/a/b/x"))
	require.Equal(t, ActionKeep, at("tools/call", "echo", "/result/a/b/x/deeper"))
	require.Equal(t, ActionMask, at("tools/call", "echo", "/result/a/1/x"))
	require.Equal(t, ActionIgnore, at("tools/callx", "echo", "/result/a/1/x"))
	require.True(t, rules.For("tools/call", "").KeepsWithin([]string{"result", "a"}))
	require.False(t, rules.For("ping", "").KeepsWithin([]string{"result", "a"}))
}

func TestParseIgnore(t *testing.T) {
	for text, want := range map[string]Rule{
		"/result/a":                            {Action: ActionIgnore, Pointer: "/result/a"},
		"*:/result/a":                          {Action: ActionIgnore, Pointer: "/result/a"},
		"tools/call:/result/a":                 {Action: ActionIgnore, Method: "tools/call", Pointer: "/result/a"},
		"resources/read:file:///a:/result/b~1": {Action: ActionIgnore, Method: "resources/read:file:///a", Pointer: "/result/b~1"},
	} {
		rule, err := ParseIgnore(text)
		require.NoError(t, err)
		require.Equal(t, want, rule)
	}
	for _, text := range []string{"", "result", "tools/call", "/a~"} {
		_, err := ParseIgnore(text)
		require.Error(t, err, text)
	}
}
