package cli

import (
	"bytes"
	"os"

	"mcpdbg/sshexec/sshtest"
)

// marked returns the processes that inherited a mark. The environment of ended
// processes, and of other users', is not readable.
func marked(mark string) []*os.Process {
	var found []*os.Process
	for pid, env := range sshtest.ProcFiles("environ") {
		if pid == os.Getpid() || !bytes.Contains(env, []byte(markName+"="+mark+"\x00")) {
			continue
		}
		if p, err := os.FindProcess(pid); err == nil {
			found = append(found, p)
		}
	}
	return found
}
