//go:build unix && !linux

package exectest

import (
	"os"
	"syscall"
)

// overwriteEnvironment re-executes this program, with another name and without
// the environment, to run steps.
func overwriteEnvironment(steps []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return syscall.Exec(self, append([]string{"another-name"}, HelperArgs(steps...)...), []string{"OTHER=x"})
}
