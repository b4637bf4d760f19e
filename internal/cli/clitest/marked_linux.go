package clitest

import (
	"bytes"
	"mcpdbg/session/exectest"
	"os"
)

// Marked returns the processes that inherited a mark. Those that ended, and other users',
// have no readable environment.
func Marked(mark string) []*os.Process {
	var found []*os.Process
	for pid, env := range exectest.ProcFiles("environ") {
		if pid == os.Getpid() || !bytes.Contains(env, []byte(MarkName+"="+mark+"\x00")) {
			continue
		}
		if p, err := os.FindProcess(pid); err == nil {
			found = append(found, p)
		}
	}
	return found
}
