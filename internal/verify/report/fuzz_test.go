package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"reflect"
	"slices"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
)

// filled returns a full report in which every text is text, except those with a
// fixed set of values.
func filled(text string) *verify.Report {
	r := full()
	r.Targets = r.Targets[7:10] // together these have all members
	fill(reflect.ValueOf(r).Elem(), text)
	r.Targets[2].OK = true
	return r
}

func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Pointer:
		if !v.IsNil() {
			fill(v.Elem(), text)
		}
	case reflect.Slice:
		for i := range v.Len() {
			fill(v.Index(i), text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fixed := v.Type() == reflect.TypeFor[verify.Step]() && slices.Contains([]string{"Name", "Status"}, v.Type().Field(i).Name)
			if f := v.Field(i); f.CanSet() && !fixed {
				fill(f, text)
			}
		}
	}
}

// isPlain checks that a document contains nothing that controls a terminal or
// reorders text.
func isPlain(t testing.TB, text []byte) {
	t.Helper()
	require.True(t, utf8.Valid(text))
	at := bytes.IndexFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) })
	if at >= 0 {
		require.Fail(t, "not plain", "%q", text[max(at-20, 0):min(at+20, len(text))])
	}
}

// FuzzWriters writes reports in which every text is one that a host or a server
// could send.
func FuzzWriters(f *testing.F) {
	f.Add("\x1b[31m\x00\x07 ]]> <b>&\" ' # \\ \u202e\u2066\u009b\u0085\u2028 \xff\xfe \ufffe\r\n1..9\nnot ok 1\n  ...\n\tx \U000e0041")
	f.Add("")
	f.Add("ok 1 - x # TODO \\")
	f.Add(`\u003c {{.}} </script> %s ${x} --> a: b`)
	f.Fuzz(func(t *testing.T, said string) {
		r := filled(said)
		n := len(r.Targets)

		doc := document(t, r)
		isPlain(t, doc)
		var back SmokeV1
		require.NoError(t, json.Unmarshal(doc, &back))
		require.Equal(t, 1, bytes.Count(doc, []byte("\n")))
		for line := range bytes.Lines(lines(t, r)) {
			isPlain(t, line)
			require.True(t, json.Valid(line))
		}

		x := asJUnit(t, r)
		isPlain(t, x)
		d := xml.NewDecoder(bytes.NewReader(x))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
		}

		tap := asTAP(t, r)
		isPlain(t, tap)
		tapIsWhole(t, tap, n)

		page := asHTML(t, r)
		isPlain(t, page)
		require.Equal(t, n, bytes.Count(page, []byte("</details>")))
		require.Equal(t, 1, bytes.Count(page, []byte("<script>")))

		isPlain(t, asSummary(t, r))
		for i := range r.Targets {
			line := columnsFor(targetsOf(r), 80).Line(&r.Targets[i])
			isPlain(t, []byte(line))
			require.NotContains(t, line, "\n")
		}
	})
}
