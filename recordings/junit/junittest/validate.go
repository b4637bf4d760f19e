// Package junittest holds documents against the schemas of JUnit XML, for the
// tests of packages that write them.
package junittest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// The part of the schemas that .ci/run fetches, below the user's cache folder:
// they are under licenses of their own, and not kept here.
const (
	folder  = "mcpdbg-ci/junit"
	jenkins = "jenkins-junit.xsd" // junit-4
	ant     = "JUnit.xsd"         // of Windy Road, as of 2011
)

// skipped is what the schema of 2011 does not know. Its successors do, with no
// other difference.
var skipped = regexp.MustCompile(`<skipped>[^<]*</skipped>|<skipped/>| skipped="\d+"`)

// Validate checks a document against the schemas with xmllint. Without one of
// them the test is skipped, and fails with CI=true.
func Validate(t testing.TB, document []byte) {
	t.Helper()
	xmllint, err := exec.LookPath("xmllint")
	lacks(t, err)
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	for schema, text := range map[string][]byte{jenkins: document, ant: skipped.ReplaceAll(document, nil)} {
		schema = filepath.Join(cache, folder, schema)
		_, err := os.Stat(schema)
		lacks(t, err)
		path := filepath.Join(t.TempDir(), "junit.xml")
		require.NoError(t, os.WriteFile(path, text, 0o600))
		out, err := exec.CommandContext(t.Context(), xmllint, "--noout", "--nonet", "--schema", schema, path).CombinedOutput()
		require.NoError(t, err, "%s: %s\n%s", schema, out, text)
	}
}

// lacks skips a test that lacks a part.
func lacks(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "%v", err)
		t.Skipf("not validated: %v", err)
	}
}
