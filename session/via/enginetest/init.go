//go:build linux

package enginetest

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

// A stage is the place that the first process of a container makes for itself.
type stage struct {
	Isolated bool
	Root     string   // becomes the root folder
	Programs string   // replaces the folders of programs
	Argv     []string // nil for a process that only waits
	Path     string   // of Argv[0], in the container
	Dir      string
	User     string
}

// The files of the first process. It reports an error on reportFD, which is closed if
// there is none. lifeFD ends with the daemon.
const (
	reportFD = 3
	lifeFD   = 4
)

// initMain is the first process of a container: it becomes the program of docker run, or
// waits until the container ends.
func initMain(args []string) int {
	report := os.NewFile(reportFD, "report")
	syscall.CloseOnExec(reportFD)
	var s stage
	err := json.NewDecoder(strings.NewReader(args[0])).Decode(&s)
	if err == nil {
		err = s.prepare()
	}
	if err != nil {
		fmt.Fprint(report, err)
		return 1
	}
	if s.Argv != nil {
		syscall.CloseOnExec(lifeFD)
		fmt.Fprint(report, s.become())
		return 1
	}
	// As the first process it ends only by signals that it wants to end by.
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM, syscall.SIGINT)
	go reap()
	_ = report.Close()
	go func() {
		_, _ = io.Copy(io.Discard, os.NewFile(lifeFD, "life"))
		ended <- syscall.SIGKILL
	}()
	<-ended
	return 0
}

// reap takes the status of processes that lost their parents.
func reap() {
	died := make(chan os.Signal, 1)
	signal.Notify(died, syscall.SIGCHLD)
	for range died {
		for {
			if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); pid <= 0 || err != nil {
				break
			}
		}
	}
}

var programFolders = []string{"/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/bin", "/sbin"}

func (s *stage) prepare() error {
	if s.Isolated {
		if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
			return fmt.Errorf("mount /: %w", err)
		}
		if s.Programs != "" {
			if err := hidePrograms(filepath.Join("/", s.Root), s.Programs); err != nil {
				return err
			}
		}
	}
	if s.Root != "" {
		if err := s.enterRoot(); err != nil {
			return err
		}
	}
	if s.Isolated {
		if err := syscall.Mount("proc", "/proc", "proc", 0, ""); err != nil {
			return fmt.Errorf("mount /proc: %w", err)
		}
	}
	return nil
}

// hidePrograms mounts a folder over all that have programs. If one is a link to another
// it has to be mounted once only.
func hidePrograms(root, folder string) error {
	for _, dir := range programFolders {
		info, err := os.Lstat(filepath.Join(root, dir))
		if err != nil || !info.IsDir() {
			continue
		}
		if err := syscall.Mount(folder, filepath.Join(root, dir), "", syscall.MS_BIND, ""); err != nil {
			return fmt.Errorf("mount %s: %w", dir, err)
		}
	}
	return nil
}

func (s *stage) enterRoot() error {
	if s.Isolated {
		for _, dir := range []string{"proc", "dev"} {
			if err := os.MkdirAll(filepath.Join(s.Root, dir), 0o755); err != nil {
				return err
			}
		}
		if err := syscall.Mount("/dev", filepath.Join(s.Root, "dev"), "", syscall.MS_BIND|syscall.MS_REC, ""); err != nil {
			return fmt.Errorf("mount /dev: %w", err)
		}
	}
	if err := syscall.Chroot(s.Root); err != nil {
		return fmt.Errorf("chroot %s: %w", s.Root, err)
	}
	return os.Chdir("/")
}

// become executes the program, and returns the reason if that fails.
func (s *stage) become() error {
	if err := os.Chdir(s.Dir); err != nil {
		return fmt.Errorf("chdir to cwd (%q) set in config.json failed: %w", s.Dir, causeOf(err))
	}
	path, err := lookUp(s.Argv[0], s.Path)
	if err != nil {
		return err
	}
	uid, gid, home, err := userOf(s.User)
	if err != nil {
		return err
	}
	if os.Getenv("HOME") == "" {
		_ = os.Setenv("HOME", home)
	}
	if s.User != "" {
		if err := syscall.Setgid(gid); err != nil {
			return err
		}
		if err := syscall.Setuid(uid); err != nil {
			return err
		}
	}
	return fmt.Errorf("exec %s: %w", path, syscall.Exec(path, s.Argv, os.Environ()))
}
