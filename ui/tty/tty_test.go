package tty

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLineThatIsTyped(t *testing.T) {
	t.Parallel()
	const rubout = "\b \b"
	for name, c := range map[string]struct {
		keys  []string
		echo  bool
		text  string
		shown string
		err   error
	}{
		"a word":            {[]string{"yes\r"}, true, "yes", "yes", nil},
		"key by key":        {[]string{"y", "e", "s", "\n"}, true, "yes", "yes", nil},
		"a secret":          {[]string{"s3cret\x7f\x7ft\r"}, false, "s3crt", "", nil},
		"text after enter":  {[]string{"a\rb\r"}, true, "a", "a", nil},
		"correction":        {[]string{"ab\x7f\x7f\x7fc\b\r"}, true, "", "ab" + rubout + rubout + "c" + rubout, nil},
		"erased line":       {[]string{"ab\x15c\r"}, true, "c", "ab" + rubout + rubout + "c", nil},
		"split rune":        {[]string{"\xc3", "\xa9", "\x7f", "x\r"}, true, "x", "é" + rubout + "x", nil},
		"a wide rune":       {[]string{"漢\x7f\r"}, true, "", "漢" + rubout + rubout, nil},
		"a cursor key":      {[]string{"a", "\x1b[D", "b\r"}, true, "ab", "ab", nil},
		"unprintable bytes": {[]string{"a\x01\x02\xc2\x9bb\r"}, true, "a\u009bb", "ab", nil},
		"no text":           {[]string{"\xff\xfe\r"}, true, "\xff\xfe", "", nil},
		"ctrl+c":            {[]string{"ab\x03\r"}, true, "ab", "ab", ErrInterrupted},
		"ctrl+d":            {[]string{"\x04"}, true, "", "", ErrDeclined},
		"ctrl+d after text": {[]string{"a\x04b\r"}, true, "ab", "ab", nil},
		"too long":          {[]string{strings.Repeat("x", maxLine+9) + "\r"}, false, strings.Repeat("x", maxLine), "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := line{echo: c.echo}
			shown := ""
			for _, keys := range c.keys {
				require.False(t, l.done)
				shown += string(l.take([]byte(keys)))
			}
			require.True(t, l.done)
			require.Equal(t, c.err, l.err)
			require.Equal(t, c.text, string(l.text))
			require.Equal(t, c.shown, shown)
			all := l.text[:cap(l.text)]
			l.wipe()
			require.Equal(t, make([]byte, len(all)), all, "the text is wiped from memory")
		})
	}
}
