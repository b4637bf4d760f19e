package cli

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestArguments(t *testing.T) {
	file := filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(file, []byte("two\nlines\n"), 0o600))
	doc := filepath.Join(t.TempDir(), "json")
	require.NoError(t, os.WriteFile(doc, []byte("{\n  \"b\": [1, \"x\"]\n}\n"), 0o600))
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, `{}`},
		{[]string{"a=1"}, `{"a":"1"}`},
		{[]string{"a="}, `{"a":""}`},
		{[]string{"a:=1"}, `{"a":1}`},
		{[]string{"a:=9007199254740993"}, `{"a":9007199254740993}`},
		{[]string{`a:={"b": [1, "x"]}`}, `{"a":{"b":[1,"x"]}}`},
		{[]string{"z=1", "a=2"}, `{"z":"1","a":"2"}`},
		{[]string{"a=b=c"}, `{"a":"b=c"}`},
		{[]string{`a"b=c"d`}, `{"a\"b":"c\"d"}`},
		{[]string{"a=@" + file}, `{"a":"two\nlines\n"}`},
		{[]string{"a:b=c"}, `{"a:b":"c"}`},
		{[]string{"a:=@" + doc}, `{"a":{"b":[1,"x"]}}`},
	} {
		got, err := new(app).parseArgs(t.Context(), c.args)
		require.NoError(t, err, "%q", c.args)
		require.Equal(t, c.want, string(got), "%q", c.args)
	}
	for arg, says := range map[string]string{
		"a":           "NAME=TEXT, NAME:=JSON, NAME=@FILE or NAME:=@FILE",
		"=a":          "NAME=TEXT",
		":=1":         "NAME=TEXT",
		"a:=one":      "NAME=TEXT is always a string",
		"a:=1 2":      "not valid JSON",
		"a=@/no/":     "no such file",
		"a:=@/no/":    "argument a: open /no/: no such file",
		"a:=@" + file: file + " is not valid JSON",
	} {
		_, err := new(app).parseArgs(t.Context(), []string{arg})
		require.ErrorAs(t, err, new(*usageError), arg)
		require.ErrorContains(t, err, says, arg)
	}
	_, err := new(app).parseArgs(t.Context(), []string{"a=1", "a:=2"})
	require.ErrorContains(t, err, "given twice")
}

// TestInputsOfACall: parameters come from files and from standard input, which
// only one of them can read.
func TestInputsOfACall(t *testing.T) {
	doc := writeFile(t, `{"x": [1]}`)
	for _, c := range []struct {
		stdin, params string
		args          []string
		want          string // the params, or what an error says
	}{
		{"", "@" + doc, []string{"m"}, `{"x": [1]}`},
		{`{"y":2}`, "-", []string{"m"}, `{"y":2}`},
		{`{"y":2}`, "@-", []string{"m"}, `{"y":2}`},
		{"two\nlines", "", []string{"m", "a=@-"}, `{"a":"two\nlines"}`},
		{"[ 1, 2 ]", "", []string{"m", "a:=@-", "b=c"}, `{"a":[1,2],"b":"c"}`},
		{"", "", []string{"m", "a=@-", "b=@-"}, "argument a and argument b cannot both read standard input"},
		{"[1]", "-", []string{"m"}, "--params -: must be a JSON object, not [1]"},
		{"", "@/no/", []string{"m"}, "--params: open /no/: no such file"},
	} {
		a := &app{stdin: strings.NewReader(c.stdin)}
		method, params, err := a.callParams(t.Context(), "", c.params, c.args)
		if err != nil {
			require.ErrorContains(t, err, c.want)
			require.Equal(t, exitUsage, codeOf(err))
			continue
		}
		require.Equal(t, "m", method)
		require.Equal(t, c.want, string(params))
	}
}

func FuzzArguments(f *testing.F) {
	for _, seed := range []string{"a=1", "a:=[1]", "a:=", ":=", "a\x00=\xff", "=", "a=@"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, arg string) {
		if strings.Contains(arg, "=@") {
			return // would read a file
		}
		object, err := new(app).parseArgs(t.Context(), []string{arg})
		if err != nil {
			require.ErrorAs(t, err, new(*usageError))
			return
		}
		var members map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(object, &members))
		require.Len(t, members, 1)
	})
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]size{"1": 1, "65536": 65536, "64K": 64 << 10, "16m": 16 << 20, "1G": 1 << 30, "2MB": 2 << 20, "2G": 2 << 30} {
		var s size
		require.NoError(t, s.Set(text), text)
		require.Equal(t, want, s, text)
	}
	for _, text := range []string{"", "0", "-1", "K", "1.5M", "1T", "0x10", " 1", "3G", "99999999999999999999"} {
		require.Error(t, new(size).Set(text), text)
	}
}

func FuzzSize(f *testing.F) {
	for _, seed := range []string{"1", "64K", "2G", "-1M", "1KB", "BBB"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s size
		if s.Set(text) != nil {
			require.Zero(t, s)
			return
		}
		require.Positive(t, int(s))
		require.LessOrEqual(t, int(s), maxSize)
		var again size
		require.NoError(t, again.Set(s.String()))
		require.Equal(t, s, again)
	})
}

func TestTheFirstTwoDashesEndOurArguments(t *testing.T) {
	for _, c := range []struct {
		args, ours, command []string
		found               bool
	}{
		{nil, nil, nil, false},
		{[]string{"run"}, []string{"run"}, nil, false},
		{[]string{"--"}, []string{}, []string{}, true},
		{[]string{"--", "run"}, []string{}, []string{"run"}, true},
		{[]string{"-e", "A=B", "--", "list"}, []string{"-e", "A=B"}, []string{"list"}, true},
		{[]string{"run", "--", "srv", "--", "x"}, []string{"run"}, []string{"srv", "--", "x"}, true},
	} {
		ours, command, found := splitCommand(c.args)
		require.Equal(t, c.ours, ours, "%q", c.args)
		require.Equal(t, c.command, command, "%q", c.args)
		require.Equal(t, c.found, found, "%q", c.args)
	}
}

func TestReadLine(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
		err  error
	}{
		{"", nil, io.EOF},
		{"\n", []string{""}, io.EOF},
		{"a\nb", []string{"a", "b"}, io.EOF},
		{"a\r\n\nb\n", []string{"a\r", "", "b"}, io.EOF},
		{strings.Repeat("x", 40) + "\ny\n", []string{strings.Repeat("x", 40), "y"}, io.EOF},
		{"a\n" + strings.Repeat("x", 41) + "\n", []string{"a"}, nil},
	} {
		from := bufio.NewReaderSize(strings.NewReader(c.in), 16) // its smallest size
		var got []string
		line, err := readLine(from, 40)
		for ; err == nil; line, err = readLine(from, 40) {
			got = append(got, string(line))
		}
		require.Equal(t, c.want, got, "%q", c.in)
		if c.err == nil {
			require.ErrorContains(t, err, "longer than 40 bytes")
		} else {
			require.ErrorIs(t, err, c.err)
		}
	}
}
