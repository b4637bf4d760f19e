//go:build unix

package console

import (
	"os"
	"strconv"
	"syscall"
)

// EndBySignal ends this process by the signal with a name such as TERM, as its server
// ended. Go answers some signals by printing its goroutines, so that a shell takes the
// place of the program first. It exits with code if the signal is ignored or unknown
// there, and returns if there is no shell.
func EndBySignal(name string, code int) {
	_ = syscall.Exec("/bin/sh", []string{"sh", "-c", `ulimit -c 0; kill -"$1" $$ 2>/dev/null; exit "$2"`, "sh", name, strconv.Itoa(code)}, os.Environ())
}
