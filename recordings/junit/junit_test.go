package junit_test

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/recordings/junit"
	"mcpdbg/recordings/rectest"
)

const hostile = "a\x1b[31m\x00 \xff ]]> <b> & \" \u202e \u009b \ufffe\r\nsecond\tline \U000e0041"

// suites have one of everything.
var suites = []junit.Suite{
	{
		Name: "web-1", Package: "smoke", Host: "web-1", Start: time.Date(2026, 11, 21, 10, 0, 0, 5, time.FixedZone("", 3600)),
		Properties: []junit.Property{{Name: "protocol", Value: "2025-11-25"}, {Name: hostile, Value: hostile}},
		Cases: []junit.Case{
			{Name: "connect", Class: "demo", Took: 12_345_678},
			{Name: hostile, Class: hostile, Took: -1, Status: junit.Failed, Type: hostile, Message: hostile, Text: hostile},
			{Name: "start", Class: "demo", Took: time.Hour, Status: junit.Errored, Type: "start", Message: "m"},
			{Name: "list", Class: "demo", Status: junit.Skipped, Text: "not reached"},
			{Name: "list", Class: "demo", Status: junit.Skipped},
		},
		Out: hostile, Err: hostile,
	},
	{},
}

func write(t testing.TB, suites []junit.Suite) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, junit.Write(&b, "FAILED -- "+hostile, suites))
	return b.Bytes()
}

func TestIsValid(t *testing.T) {
	rectest.ValidateJUnit(t, write(t, suites))
	rectest.ValidateJUnit(t, write(t, nil))
}

func TestCounts(t *testing.T) {
	text := string(write(t, suites))
	require.Contains(t, text, `timestamp="2026-11-21T09:00:00" tests="5" failures="1" errors="1" skipped="2" time="3600.012"`)
	require.Contains(t, text, `<testsuite name="-" package="-" id="1" hostname="localhost"`)
}

func TestTextsAreEscaped(t *testing.T) {
	text := write(t, suites)
	for _, r := range string(text) {
		require.True(t, r == '\n' || r >= 0x20 && r != 0x7f && (r < 0x80 || r > 0x9f) && r != 0x202e && r != 0xfffe, "%U", r)
	}
	var doc struct {
		Suites []struct {
			Out string `xml:"system-out"`
		} `xml:"testsuite"`
	}
	require.NoError(t, xml.Unmarshal(text, &doc))
	require.Equal(t, `a\u{1b}[31m\u{0} \xff ]]> <b> & " \u{202e} \u{9b} \u{fffe}`+"\nsecond\tline "+`\u{e0041}`, doc.Suites[0].Out)
	require.Equal(t, 2, strings.Count(string(text), "<testsuite "))
}
