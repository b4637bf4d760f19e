package rectest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// The schemas that .ci/run fetches, in the folder that the variable names or in the
// user's cache folder: they have their own licenses and are not part of the repository.
const (
	tools   = "MCPDBG_CI_TOOLS"
	jenkins = "jenkins-junit.xsd" // junit-4
	ant     = "JUnit.xsd"         // by Windy Road, as of 2011
)

// skipped is an element that the schema of 2011 does not have. Its successors do, with no
// other difference.
var skipped = regexp.MustCompile(`<skipped>[^<]*</skipped>|<skipped/>| skipped="\d+"`)

// ValidateJUnit validates a document against the schemas with xmllint. If one of
// them is missing the test is skipped, or fails with CI=true.
func ValidateJUnit(t testing.TB, document []byte) {
	t.Helper()
	xmllint, err := exec.LookPath("xmllint")
	missing(t, err)
	dir := os.Getenv(tools)
	if dir == "" {
		cache, err := os.UserCacheDir()
		require.NoError(t, err)
		dir = filepath.Join(cache, "mcpdbg-ci")
	}
	for schema, text := range map[string][]byte{jenkins: document, ant: skipped.ReplaceAll(document, nil)} {
		schema = filepath.Join(dir, "junit", schema)
		_, err := os.Stat(schema)
		missing(t, err)
		path := filepath.Join(t.TempDir(), "junit.xml")
		require.NoError(t, os.WriteFile(path, text, 0o600))
		out, err := exec.CommandContext(t.Context(), xmllint, "--noout", "--nonet", "--schema", schema, path).CombinedOutput()
		require.NoError(t, err, "%s: %s\n%s", schema, out, text)
	}
}

// missing skips a test that needs a missing file or program.
func missing(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "%v", err)
		t.Skipf("not validated: %v", err)
	}
}
