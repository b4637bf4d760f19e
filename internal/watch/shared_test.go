package watch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSharedBuild: processes that see the same change run a command once, and all get its
// outcome.
func TestSharedBuild(t *testing.T) {
	dir := t.TempDir()
	runs, file := filepath.Join(dir, "runs"), filepath.Join(dir, "outcome")
	changed := time.Now()
	builds := make([]*Build, 3)
	for i := range builds {
		builds[i] = &Build{
			Command: "echo run >> " + runs + "; echo bad; exit 3", Note: func(string) {}, Report: func(string) {},
			Shared: NewShared(file, func() time.Time { return changed }),
		}
	}
	for round := range 3 {
		var running sync.WaitGroup
		for _, b := range builds {
			running.Go(func() {
				_, err := b.Run(t.Context(), "main.go changed")
				var failed *BuildError
				if !errors.As(err, &failed) || failed.Err.Error() != "exit status 3" || len(failed.Output) != 1 || failed.Output[0] != "bad" {
					t.Errorf("another error: %v", err)
				}
			})
		}
		running.Wait()
		data, err := os.ReadFile(runs)
		require.NoError(t, err)
		require.Equal(t, round+1, strings.Count(string(data), "run"))
		changed = time.Now()
	}
	require.NoError(t, os.WriteFile(file, []byte("{"), 0o600)) // damaged
	_, err := builds[0].Run(t.Context(), "main.go changed")
	require.Error(t, err)
}
