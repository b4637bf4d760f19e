package flags

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/wording"
	"mcpdbg/recordings"
	"mcpdbg/recordings/store"
	"mcpdbg/session"
	"mcpdbg/session/tap"
	"mcpdbg/session/tap/control"
)

// maxTaps is how many of the newest recordings are searched for those of taps.
const maxTaps = 500

// A LiveTap is a tap that runs.
type LiveTap struct {
	Name      string
	PID       int // 0 if unknown, as of one without --live
	Since     time.Time
	Recording string // "" without one
	Client    string // "" before its handshake
	State     string // such as running; "" if unknown
}

// label names a live tap, for commands as far as possible.
func (t *LiveTap) label() string {
	if t.PID != 0 {
		return t.Name + ":" + strconv.Itoa(t.PID)
	}
	return filepath.Base(t.Recording)
}

// LiveTaps returns the live taps, the newest first: those with a control socket, and those
// of recorded, from Taps, that are being written.
func LiveTaps(ctx context.Context, recorded []store.Recording) (taps []LiveTap) {
	if folder, err := recordings.TapDir(); err == nil {
		if folder, err = control.Folder(folder); err == nil {
			steered, _ := control.List(folder) // without: only those that are recorded
			for i := range steered {
				taps = append(taps, ask(ctx, &steered[i]))
			}
		}
	}
	for _, r := range recorded {
		if r.State == session.RecordingOn && !slices.ContainsFunc(taps, func(t LiveTap) bool { return t.Recording == r.Path }) {
			taps = append(taps, LiveTap{Name: r.Header.Name, Since: r.Header.Start, Recording: r.Path, Client: clientIn(r.Path)})
		}
	}
	sort.SliceStable(taps, func(i, j int) bool {
		a, b := &taps[i], &taps[j]
		return b.Since.Compare(a.Since) < 0
	})
	return taps
}

// ask returns what a tap tells a viewer.
func ask(ctx context.Context, c *control.Tap) LiveTap {
	t := LiveTap{Name: c.Name, PID: c.PID, Since: c.Since, Recording: c.Recording}
	v, err := c.Watch(ctx)
	if err != nil { // an older one
		return t
	}
	state := v.State()
	_ = v.Close()
	t.Client, t.State = state.Client, state.Server
	if state.Restarts > 0 {
		t.State += ", " + wording.Plural(state.Restarts, "restart")
	}
	return t
}

// Taps returns the recordings of taps among the newest of all, which it looks at.
func Taps(all []store.Recording) (taps []store.Recording) {
	for _, r := range all[:min(len(all), maxTaps)] {
		if r.Look() == nil && r.Header.Mode == session.ModeTap {
			taps = append(taps, r)
		}
	}
	return taps
}

// clientIn returns the client that the beginning of a recording names.
func clientIn(path string) string {
	const begin = 64 << 10
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, begin)) // what there is
	for line := range bytes.Lines(head) {
		var note session.NoteBody
		if bytes.Contains(line, []byte(`"code":"`+tap.NoteClient+`"`)) && json.Unmarshal(line, &note) == nil {
			return strings.TrimPrefix(note.Text, "client: ")
		}
	}
	return ""
}

// tapNamed returns the recording of the live tap with a name, which may have a process id
// after a colon. Without live, it is the newest recording of a tap with that name. It is
// "" without one.
func tapNamed(name string, all []store.Recording, live bool) (string, error) {
	if !live {
		for _, r := range Taps(all) {
			if r.Header.Name == name {
				return r.Path, nil
			}
		}
		return "", nil
	}
	found := slices.DeleteFunc(LiveTaps(context.Background(), Taps(all)), func(t LiveTap) bool {
		return t.Name != name && t.Name+":"+strconv.Itoa(t.PID) != name
	})
	switch {
	case len(found) == 0:
		return "", nil
	case len(found) == 1 && found[0].Recording == "":
		return "", console.Usagef("the tap %s is not recorded", found[0].label())
	case len(found) == 1:
		return found[0].Recording, nil
	}
	var lines strings.Builder
	for i := range found {
		t := &found[i]
		fmt.Fprintf(&lines, "\n  %s  since %s%s", t.label(), t.Since.Local().Format(time.TimeOnly), wording.IfAny(", under ", t.Client))
	}
	return "", console.WithHint(console.Usagef("%d live taps are named %s:%s", len(found), wording.Quote(name), lines.String()), "one of these names")
}
