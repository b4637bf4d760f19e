package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"mcpdbg/internal/cli/clitest"
	"mcpdbg/internal/cli/console"
)

// onSmallDisk runs a command line of the program in a file system of 3 MiB that
// exists only for this run; PLACE in the command line is replaced by its folder.
// Remaining recordings are copied to kept.
func onSmallDisk(t *testing.T, kept string, args ...string) clitest.Result {
	t.Helper()
	clitest.Need(t, "sh")
	clitest.Need(t, "mount")
	place := t.TempDir()
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "PLACE", place)
	}
	const script = `mount -t tmpfs -o size=3m tmpfs "$1" || exit 99
cd "$1" && kept="$2" && shift 2
"$@" <&0
code=$?
cp *.jsonl "$kept"
exit $code`
	cmd := clitest.Command(t, "sh", append([]string{"-c", script, "sh", place, kept, clitest.Binary()}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	if err := canUnshare(cmd.SysProcAttr); err != nil {
		skipMount(t, err.Error())
	}
	r := clitest.Finish(t, cmd)
	if r.Code == 99 {
		skipMount(t, r.Stderr)
	}
	return r
}

// canUnshare returns why no command can be run with attributes.
func canUnshare(attributes *syscall.SysProcAttr) error {
	p, err := os.StartProcess(clitest.Binary(), []string{clitest.Binary(), "version"}, &os.ProcAttr{Sys: attributes})
	if err == nil {
		_, err = p.Wait()
	}
	return err
}

// skipMount skips a test that needs a file system of its own; root in CI can
// mount one.
func skipMount(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" && os.Getuid() == 0 {
		require.Fail(t, "a file system can't be mounted", why)
	}
	t.Skip("a file system can't be mounted here: ", why)
}

// A full disk ends the recording with a note, and reading the recording later
// reports no other cause.
func TestFullDiskIsNotReportedAsKilled(t *testing.T) {
	t.Parallel()
	var calls []string
	for id := range 6 {
		calls = append(calls, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"big","arguments":{"bytes":1000000}}}`, id))
	}
	session := clitest.RecordedDemo(t, "", []string{"--era", "legacy"}, calls...)
	for name, args := range map[string][]string{
		"run":    clitest.Against("", "run", "--quiet", "--era", "legacy", "--in", clitest.WriteFile(t, strings.Join(calls, "\n")), "--record", "PLACE/z.jsonl"),
		"call":   clitest.Against("", "call", "--tool", "big", "bytes:=4000000", "--record", "PLACE/z.jsonl"),
		"replay": clitest.Against("", "replay", "--all", session, "--record", "PLACE/z.jsonl"),
		"smoke": {"smoke", "--recordings", "PLACE", "--scenario", clitest.WriteFile(t, "scenario: 1\nsteps:\n  - tool: big\n    arguments: {bytes: 4000000}\n"),
			"--", clitest.Binary(), console.DemoServer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kept := t.TempDir()
			r := onSmallDisk(t, kept, args...)
			require.Equal(t, 6, r.Code, r.Stderr)
			require.Regexp(t, `mcpdbg: recording incomplete: \S+\.jsonl: no space left on device; not recorded from entry \d+ on\n$`, r.Stderr)
			require.NotRegexp(t, `recorded to \S+\n`, r.Stderr)
			files, err := filepath.Glob(filepath.Join(kept, "*.jsonl"))
			require.NoError(t, err)
			require.Len(t, files, 1)

			r = clitest.Run(t, "rec", "info", files[0])
			require.Equal(t, 0, r.Code, r.Stderr)
			require.Contains(t, r.Stdout, "recording stopped: no space left on device")
			require.NotContains(t, r.Stdout, "torn")
			r = clitest.Run(t, "rec", "info", "--json", files[0])
			require.Contains(t, r.Stdout, `"state":"stopped","stopped":"recording stopped: no space left on device"`)
			r = clitest.Run(t, "rec", "ls", kept)
			require.Contains(t, r.Stdout, "stopped")
			r = clitest.Run(t, "rec", "verify", files[0])
			require.Equal(t, 0, r.Code, r.Stdout)
			require.Contains(t, r.Stdout, "note: incomplete: recording stopped: no space left on device")
		})
	}
}
