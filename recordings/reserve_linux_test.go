package recordings

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"mcpdbg/session"
)

// onDisk returns how many bytes a file takes on the disk.
func onDisk(t *testing.T, path string) int64 {
	t.Helper()
	var stat unix.Stat_t
	require.NoError(t, unix.Stat(path, &stat))
	return stat.Blocks * 512
}

func TestReservedSpaceIsReleased(t *testing.T) {
	const slack = 64 << 10 // blocks of the file system
	probe, err := os.Create(filepath.Join(t.TempDir(), "probe"))
	require.NoError(t, err)
	defer probe.Close()
	if err := allocate(probe, 0, reserveStep); err != nil {
		t.Skip("the file system of temporary files can't reserve space: ", err)
	}
	f := create(t, Options{MaxPart: 100_000})
	require.GreaterOrEqual(t, onDisk(t, f.Path()), int64(reserveStep))
	for i := range uint64(2000) {
		require.NoError(t, f.Append([]session.Entry{stdout(i+1, strings.Repeat("x", 100))}))
	}
	require.NoError(t, f.Close())
	require.Greater(t, f.part.number, 2)
	for part := 1; part <= f.part.number; part++ {
		path := PartPath(f.Path(), part)
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.LessOrEqual(t, onDisk(t, path), info.Size()+slack, path)
	}
	require.Equal(t, session.RecordingDone, open(t, f.Path()).Stats().Recording)
}

func init() { children["full-disk"] = recordOnFullDisk }

// recordOnFullDisk records in a small file system of its own while another program
// takes the remaining space, until it is full. It prints the state of the recording.
func recordOnFullDisk(dir string) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	f, err := Create(Options{Path: filepath.Join(dir, "rec.jsonl")})
	if err != nil {
		return err
	}
	line := strings.Repeat("x", 10_000)
	for i := range uint64(300) {
		if err := f.Append([]session.Entry{stdout(i+1, line)}); err != nil {
			return err
		}
		if i == 20 {
			if err := fill(filepath.Join(dir, "other")); err != nil {
				return err
			}
		}
	}
	all := make([]session.Row, f.Len())
	for i, row := range all[:f.Rows(0, all)] {
		if e, err := f.Entry(row, 0); err != nil || e.N != uint64(i+1) {
			return fmt.Errorf("entry %d of the log: %w", i+1, err)
		}
	}
	fmt.Println(f.Close())
	if err := fill(filepath.Join(dir, "more")); err != nil {
		return err
	}
	_, err = Create(Options{Path: filepath.Join(dir, "next.jsonl")})
	fmt.Println(strings.ReplaceAll(fmt.Sprint(err), dir, ""))
	r, err := Open(f.Path())
	if err != nil {
		return err
	}
	fmt.Println(r.Stats().Recording == session.RecordingCut, r.Stats().RecordingError)
	report, err := Verify(f.Path())
	if err != nil {
		return err
	}
	fmt.Println(report.Problems, report.Entries > 90)
	return r.Close()
}

// fill writes to a file until the disk is full.
func fill(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		if _, err := f.Write(make([]byte, 512)); err != nil {
			return nil
		}
	}
}

func TestRealFullDisk(t *testing.T) {
	cmd := child("full-disk", t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit := new(exec.ExitError); err != nil && (!errors.As(err, &exit) || strings.HasPrefix(stderr.String(), "mount:")) {
		if os.Getenv("CI") == "true" && os.Getuid() == 0 {
			require.NoError(t, err, "%s", &stderr)
		}
		t.Skip("a file system can't be mounted here: ", err, " ", &stderr)
	}
	require.NoError(t, err, "%s", &stderr)
	require.Regexp(t, `^no space left on device; not recorded from entry \d+ on
create recording /next.jsonl: no space left on device
true recording stopped: no space left on device
\[\] true
$`, string(out))
}
