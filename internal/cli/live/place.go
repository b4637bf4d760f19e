package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/cli/flags"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
	"mcpdbg/recordings/store"
	"mcpdbg/ui/widget/termsafe"
)

// UseTemporary selects a temporary folder for recordings if there is no writable default
// one, as in containers. Only the first call returns a warning about it.
func UseTemporary(env *console.Env, t *flags.Target) (warning string, err error) {
	if t.NoRecord || t.Record != "" || t.Recordings != "" {
		return "", nil
	}
	folder, why := recordings.DefaultDir()
	if why == nil {
		why = MakeFolder(folder)
	}
	if why == nil {
		return "", nil
	}
	path, created, err := env.Temporary.Use()
	switch {
	case err != nil:
		return "", console.WithHint(console.Usagef("cannot store recordings: %v; %v", why, err), "--record FILE to choose a file, or --no-record")
	case created:
		warning = fmt.Sprintf("warning: %v: recording to the temporary folder %s", why, path)
	}
	t.Recordings = path
	return warning, nil
}

// MakeFolder creates a folder for recordings, and checks that it is writable.
func MakeFolder(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	probe, err := os.CreateTemp(folder, ".writable-*")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", folder, errors.Unwrap(err))
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// WarnTemporary is UseTemporary, and prints the warning.
func WarnTemporary(env *console.Env, t *flags.Target) error {
	warning, err := UseTemporary(env, t)
	if warning != "" {
		fmt.Fprintln(env.Stderr, termsafe.String("mcpdbg: "+warning))
	}
	return err
}

// PruneDefault applies the limits in the settings to the default folder, and notes what
// it removed. It ignores invalid settings, which the interface reports.
func PruneDefault(ctx context.Context, note func(text string)) {
	settings, err := flags.ReadSettings()
	folder, dirErr := recordings.DefaultDir()
	if err != nil || dirErr != nil || settings.Recordings.Zero() {
		return
	}
	s, err := store.ReadCandidates(ctx, store.Reach{Own: true}, folder)
	if err != nil {
		return
	}
	count, total := uint64(0), int64(0)
	for _, i := range settings.Recordings.Excess(s.All, time.Now()) {
		if ctx.Err() == nil && store.Remove(s.Paths[i], false) == nil { // on failure, the next session retries
			count++
			total += s.All[i].Size
		}
	}
	if count > 0 {
		note(fmt.Sprintf("removed %s, %s, to meet the limits in [recordings] of the settings", wording.Plural(count, "old recording"), wording.Bytes(total)))
	}
}
