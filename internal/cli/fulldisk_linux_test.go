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

	"mcpdbg/internal/cli/console"
)

// onSmallDisk runs a command line of the program in a file system of 3 MiB that
// exists only for this run; PLACE in the command line is replaced by its folder.
// Remaining recordings are copied to kept.
func onSmallDisk(t *testing.T, kept string, args ...string) result {
	t.Helper()
	need(t, "sh")
	need(t, "mount")
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
	cmd := command(t, "sh", append([]string{"-c", script, "sh", place, kept, binary}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	if err := canUnshare(cmd.SysProcAttr); err != nil {
		skipMount(t, err.Error())
	}
	r := finish(t, cmd)
	if r.code == 99 {
		skipMount(t, r.stderr)
	}
	return r
}

// canUnshare returns why no command can be run with attributes.
func canUnshare(attributes *syscall.SysProcAttr) error {
	p, err := os.StartProcess(binary, []string{binary, "version"}, &os.ProcAttr{Sys: attributes})
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
	session := recordedDemo(t, "", []string{"--era", "legacy"}, calls...)
	for name, args := range map[string][]string{
		"run":    against("", "run", "--quiet", "--era", "legacy", "--in", writeFile(t, strings.Join(calls, "\n")), "--record", "PLACE/z.jsonl"),
		"call":   against("", "call", "--tool", "big", "bytes:=4000000", "--record", "PLACE/z.jsonl"),
		"replay": against("", "replay", "--all", session, "--record", "PLACE/z.jsonl"),
		"smoke": {"smoke", "--recordings", "PLACE", "--scenario", writeFile(t, "scenario: 1\nsteps:\n  - tool: big\n    arguments: {bytes: 4000000}\n"),
			"--", binary, console.DemoServer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kept := t.TempDir()
			r := onSmallDisk(t, kept, args...)
			require.Equal(t, 6, r.code, r.stderr)
			require.Regexp(t, `mcpdbg: recording incomplete: \S+\.jsonl: no space left on device; not recorded from entry \d+ on\n$`, r.stderr)
			require.NotRegexp(t, `recorded to \S+\n`, r.stderr)
			files, err := filepath.Glob(filepath.Join(kept, "*.jsonl"))
			require.NoError(t, err)
			require.Len(t, files, 1)

			r = run(t, "rec", "info", files[0])
			require.Equal(t, 0, r.code, r.stderr)
			require.Contains(t, r.stdout, "recording stopped: no space left on device")
			require.NotContains(t, r.stdout, "torn")
			r = run(t, "rec", "info", "--json", files[0])
			require.Contains(t, r.stdout, `"state":"stopped","stopped":"recording stopped: no space left on device"`)
			r = run(t, "rec", "ls", kept)
			require.Contains(t, r.stdout, "stopped")
			r = run(t, "rec", "verify", files[0])
			require.Equal(t, 0, r.code, r.stdout)
			require.Contains(t, r.stdout, "note: incomplete: recording stopped: no space left on device")
		})
	}
}
