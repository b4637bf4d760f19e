package verify_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/verify/report"
)

const accepted = `# a comment

TOL05 tools/list echo /inputSchema
  reason: fixed in the next release: see #12
  expires: 2027-01-31

"TOL06 tools/list a\u202eb"
  server: notes
  reason:
`

func TestBaseline(t *testing.T) {
	b, err := verify.ParseAccepted([]byte(accepted))
	require.NoError(t, err)
	require.Equal(t, []verify.Accepted{
		{Fingerprint: "TOL05 tools/list echo /inputSchema", Reason: "fixed in the next release: see #12", Expires: time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)},
		{Fingerprint: "TOL06 tools/list a\u202eb", Server: "notes"},
	}, b.Accepted)

	var out strings.Builder
	require.NoError(t, b.Write(&out))
	again, err := verify.ParseAccepted([]byte(out.String()))
	require.NoError(t, err)
	require.ElementsMatch(t, b.Accepted, again.Accepted)
	require.Contains(t, out.String(), "\nTOL05 tools/list echo /inputSchema\n  reason: fixed in the next release: see #12\n  expires: 2027-01-31\n")
	require.NotContains(t, out.String(), "\u202e", "a name of a server must not reorder the text of a diff")
}

func TestBaselineErrors(t *testing.T) {
	for text, says := range map[string]string{
		"  reason: x":                      "line 1: ",
		"A b\n  until: x":                  `line 2: "until": must be`,
		"A b\n  reason":                    "with a colon",
		"A b\n  expires: soon":             "line 2: expires: ",
		"A b\n  reason: x\n  reason: y":    "line 3: reason is given twice",
		"A b\nA b":                         "A b is listed twice",
		"\"A":                              "not a quoted text",
		"\" \"":                            "fingerprint is empty",
		strings.Repeat("x", 5000):          "longer than 4096 bytes",
		strings.Repeat("x", 1<<20) + "\nA": "larger than",
	} {
		_, err := verify.ParseAccepted([]byte(text))
		require.ErrorContains(t, err, says, "%.40q", text)
	}
}

func reported(server, id, fingerprint string) verify.Reported {
	return verify.Reported{Server: server, Problem: verify.Problem{ID: id, Severity: "error", Count: 1, Title: "a title", Fingerprint: fingerprint}}
}

func TestApply(t *testing.T) {
	b, err := verify.ParseAccepted([]byte("A one\n  reason: known\nB two\n  expires: 2026-11-01\nC three\nD four\n  server: other\n"))
	require.NoError(t, err)
	all := []verify.Reported{reported("s", "A", "A one"), reported("s", "B", "B two"), reported("s", "D", "D four"), reported("s", "E", "E five")}
	day := time.Date(2026, 11, 1, 23, 0, 0, 0, time.UTC)

	m := b.Apply(all, []string{"s"}, day)
	require.True(t, all[0].Accepted)
	require.Equal(t, "known", all[0].Reason)
	require.True(t, all[1].Accepted, "the last day counts")
	require.False(t, all[2].Accepted, "of another server")
	require.False(t, all[3].Accepted)
	require.Empty(t, m.Expired)
	require.Len(t, m.Stale, 1, "another server was not checked")
	require.Equal(t, "C three", m.Stale[0].Fingerprint)

	all[1].Accepted = false
	m = b.Apply(all, []string{"s"}, day.AddDate(0, 0, 1))
	require.False(t, all[1].Accepted)
	require.Equal(t, "B two", m.Expired[0].Fingerprint)

	next := b.Update(all, []string{"s"})
	require.Len(t, next.Accepted, 5, "stale ones are dropped, and those of another server stay")
	require.Equal(t, "other", next.Accepted[0].Server)
	require.Equal(t, "known", next.Accepted[1].Reason)
	require.False(t, next.Accepted[2].Expires.IsZero(), "only a person accepts it for longer")
	require.Equal(t, "s", b.Update(all, []string{"s", "other"}).Accepted[3].Server)
	require.Equal(t, verify.Match{}, (*verify.AcceptedFile)(nil).Apply(all, []string{"s"}, day))
	require.Len(t, (*verify.AcceptedFile)(nil).Update(all, []string{"s"}).Accepted, 4)
}

// A baseline that was parsed can be written, and is the same when it is read again.
func FuzzBaseline(f *testing.F) {
	f.Add([]byte(accepted))
	f.Add([]byte("A b\r\n\treason: x\r\n"))
	f.Add([]byte("\"\\x00\"\n  expires: 0000-01-01"))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := verify.ParseAccepted(data)
		if err != nil {
			return
		}
		var first, second strings.Builder
		require.NoError(t, b.Write(&first))
		if first.Len() > verify.MaxAcceptedFile {
			return
		}
		again, err := verify.ParseAccepted([]byte(first.String()))
		require.NoError(t, err, "%s", first.String())
		require.NoError(t, again.Write(&second))
		require.Equal(t, first.String(), second.String())
		require.Len(t, again.Accepted, len(b.Accepted))
	})
}

// TestOneEntryAcceptsAllTexts checks that an entry accepts all problems at its place, and
// counts them.
func TestOneEntryAcceptsAllTexts(t *testing.T) {
	const place = "SCH02 tools/call echo /content/*/text"
	b, err := verify.ParseAccepted([]byte(place + "\n  reason: known\n"))
	require.NoError(t, err)
	all := []verify.Reported{reported("notes", "SCH02", place), reported("notes", "SCH02", place), reported("other", "SCH02", place), reported("notes", "FRM01", "FRM01")}
	all[0].Detail, all[1].Detail = "text is the number 5, not a string", "text is an object, not a string"
	require.Empty(t, b.Apply(all, []string{"notes", "other"}, time.Now()))
	require.Equal(t, []string{"accepted with 1 other text: known", "accepted with 1 other text: known", "accepted: known", ""},
		[]string{all[0].String(), all[1].String(), all[2].String(), all[3].String()})
	require.Len(t, (*verify.AcceptedFile)(nil).Update(all[:2], []string{"notes"}).Accepted, 1)

	hashes := map[string]bool{}
	var out strings.Builder
	require.NoError(t, report.SARIF(&out, report.Run{}, all[:2]))
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, "primaryLocationLineHash") {
			hashes[line] = true
		}
	}
	require.Len(t, hashes, 2, "viewers merge results with the same hash")
}
