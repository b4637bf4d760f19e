package link

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

func shell(command string) *exec.Cmd {
	cmd := exec.Command("cmd.exe")
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: "cmd.exe /d /s /c \"" + command + "\""}
	return cmd
}

// ownGroup keeps signals of our terminal from cmd.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.CreationFlags |= windows.CREATE_NEW_PROCESS_GROUP
}

// Windows has no process groups to kill.
func killGroup(p *os.Process) { _ = p.Kill() }

// Windows need not wait for a child without reaping it.
func awaitExit(int) bool { return false }
