package clitest

import (
	"bytes"
	"os"

	"mcpdbg/sshexec/sshtest"
)

// Marked returns the processes that inherited a mark. The environment of ended
// processes, and of other users', is not readable.
func Marked(mark string) []*os.Process {
	var found []*os.Process
	for pid, env := range sshtest.ProcFiles("environ") {
		if pid == os.Getpid() || !bytes.Contains(env, []byte(MarkName+"="+mark+"\x00")) {
			continue
		}
		if p, err := os.FindProcess(pid); err == nil {
			found = append(found, p)
		}
	}
	return found
}
