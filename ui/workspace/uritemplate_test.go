package workspace

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTemplates(t *testing.T) {
	values := map[string]string{"var": "value", "hello": "Hello World!", "path": "/foo/bar", "empty": "", "x": "1024", "y": "768"}
	for template, want := range map[string]string{ // of RFC 6570, 1.2 and 3.2
		"{var}": "value", "{hello}": "Hello%20World%21", "{+hello}": "Hello%20World!", "{+path}/here": "/foo/bar/here", "here?ref={+path}": "here?ref=/foo/bar",
		"X{#var}": "X#value", "map?{x,y}": "map?1024,768", "{/var,x}/here": "/value/1024/here", "{;x,y,empty}": ";x=1024;y=768;empty",
		"{?x,y,empty}": "?x=1024&y=768&empty=", "?fixed=yes{&x}": "?fixed=yes&x=1024", "X{.var}": "X.value", "{var:3}": "val", "{undef}": "", "{?undef,x}": "?x=1024",
		"no{": "no{", "{}": "", "a}b": "a}b",
	} {
		require.Equal(t, want, ExpandTemplate(template, values), template)
	}
	require.Equal(t, []string{"a", "b", "c"}, TemplateVariables("x{a}{/b,a*}{?c:3}"))
}
