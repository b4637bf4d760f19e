package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"html"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/internal/smoke"
)

func asHTML(t testing.TB, r *smoke.Report) []byte {
	return written(t, func(w io.Writer) error { return HTML(w, r) })
}

func TestHTMLGolden(t *testing.T) {
	page := asHTML(t, sample())
	_, body, _ := bytes.Cut(page, []byte("<body>"))
	body, _, _ = bytes.Cut(body, []byte("<script>"))
	golden(t, "sample.html", body)
	asHTML(t, empty())
	asHTML(t, &smoke.Report{})
}

// TestPagePolicy checks that the page may run its own script and style, and
// load nothing.
func TestPagePolicy(t *testing.T) {
	page := string(asHTML(t, sample()))
	policy := html.UnescapeString(regexp.MustCompile(`Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)[1])
	for what, element := range map[string]string{"script-src": "script", "style-src": "style"} {
		found := regexp.MustCompile(`(?s)<`+element+`>(.*?)</`+element+`>`).FindAllStringSubmatch(page, -1)
		require.Len(t, found, 1, element)
		sum := sha256.Sum256([]byte(found[0][1]))
		require.Contains(t, policy, what+" 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	require.True(t, strings.HasPrefix(policy, "default-src 'none'; "))
	require.NotRegexp(t, `(?i)\s(src|href|style|on\w+)=`, page)
}

func TestPageHoldsTextOnly(t *testing.T) {
	const evil = `</td></script><script>alert(1)</script><img src=x onerror=alert(2)>" onload="x {{.}} javascript:`
	page := string(asHTML(t, filled(evil)))
	require.Equal(t, 1, strings.Count(page, "<script>"))
	require.NotContains(t, page, "<img")
	require.NotContains(t, page, `" onload`)
}
