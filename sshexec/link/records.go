package link

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"mcpdbg/sshexec/knownhosts"
)

// records caches known_hosts files, and reads them again when they change:
// connecting to a hundred hosts must not read them a hundred times. The zero
// value is ready for use.
type records struct {
	mu   sync.Mutex
	read map[string]record // by file names
}

type record struct {
	state    string // of the files when they were read
	db       *knownhosts.DB
	warnings []knownhosts.Warning
}

// load returns the result of knownhosts.Load.
func (r *records) load(files []string) (*knownhosts.DB, []knownhosts.Warning) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name, state := strings.Join(files, "\x00"), state(files)
	known, ok := r.read[name]
	if !ok || known.state != state {
		known.state = state
		known.db, known.warnings = knownhosts.Load(files...)
		if r.read == nil {
			r.read = map[string]record{}
		}
		r.read[name] = known
	}
	return known.db, known.warnings
}

// state returns a text that changes when one of the files does.
func state(files []string) string {
	var b strings.Builder
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			fmt.Fprintf(&b, "%v\n", err)
			continue
		}
		fmt.Fprintf(&b, "%d %d\n", info.Size(), info.ModTime().UnixNano())
	}
	return b.String()
}
