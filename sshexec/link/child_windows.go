package link

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// shell is how ssh_config's ProxyCommand is run.
func shell(command string) *exec.Cmd {
	cmd := exec.Command("cmd.exe")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: "cmd.exe /d /s /c \"" + command + "\""}
	return cmd
}

// ownGroup keeps what a terminal sends to us from cmd.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.CreationFlags |= windows.CREATE_NEW_PROCESS_GROUP
}

// killGroup kills the child; there are no groups to kill here.
func killGroup(p *os.Process) { _ = p.Kill() }

// awaitExit would wait for the end of a child without reaping it, which nothing
// here needs.
func awaitExit(int) bool { return false }
