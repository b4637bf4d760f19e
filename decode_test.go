package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNoWordsOfTheDecoder checks that no error of json.Unmarshal reaches an output, with
// words such as "cannot unmarshal number into Go struct field": code that uses the error
// calls framing.Unmarshal. The demo servers share no code with the rest.
func TestNoWordsOfTheDecoder(t *testing.T) {
	uses := regexp.MustCompile(`\w+ :?= json\.Unmarshal\(`)
	ignored := regexp.MustCompile(`\b_ = json\.Unmarshal\(|json\.Unmarshal\(.*\) [!=]= nil`) // the error is not kept
	require.NoError(t, filepath.WalkDir(".", func(file string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "testdata" || len(file) > 1 && file[0] == '.') {
			return filepath.SkipDir
		}
		name := filepath.ToSlash(file)
		if err != nil || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "internal/demo/") || strings.HasPrefix(name, "internal/tools/bench/") {
			return err
		}
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.Lines(string(data)) {
			require.False(t, uses.MatchString(line) && !ignored.MatchString(line), "%s: %s", name, line)
		}
		return nil
	}))
}
