package host

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

const (
	// openerPatience is how long the program that opens a file may take to fail: it may
	// be the viewer itself, which continues.
	openerPatience = 2 * time.Second
	// maxViewed is how many opened files are kept, the newest.
	maxViewed = 50
)

// A Viewer opens data in the desktop's programs. The zero value is ready to use; the
// caller must call Close. Its methods may be called concurrently.
type Viewer struct {
	mu    sync.Mutex
	dir   string
	files []string // the oldest first
	count int
}

// Open writes data to a file that only the user can read, opens it, and returns the
// program started; suffix is the end of its name, from ViewerSuffix. The program has no
// terminal, and outlives this one; the file does not.
func (v *Viewer) Open(ctx context.Context, data []byte, suffix string) (program string, err error) {
	argv, err := opener(runtime.GOOS, os.Getenv)
	if err != nil {
		return "", err
	}
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return "", fmt.Errorf("%s, which opens files, is not installed", argv[0])
	}
	name, err := v.write(data, suffix)
	if err != nil {
		return "", err
	}
	cmd := exec.Command(path, append(argv[1:], name)...)
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return "", err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // may outlive this program
	timer := time.NewTimer(openerPatience)
	defer timer.Stop()
	select {
	case err := <-ended:
		if err != nil {
			return "", fmt.Errorf("%s: %w", argv[0], err)
		}
	case <-timer.C:
	case <-ctx.Done():
	}
	return argv[0], nil
}

func (v *Viewer) write(data []byte, suffix string) (name string, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.dir == "" {
		if v.dir, err = os.MkdirTemp("", "mcpdbg-"); err != nil {
			return "", err
		}
	}
	if len(v.files) == maxViewed {
		err = os.Remove(v.files[0])
		v.files = v.files[1:]
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
	}
	v.count++
	name = filepath.Join(v.dir, fmt.Sprintf("part-%d%s", v.count, suffix))
	v.files = append(v.files, name)
	return name, os.WriteFile(name, data, 0o600)
}

// Close removes all files.
func (v *Viewer) Close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.dir == "" {
		return nil
	}
	dir := v.dir
	v.dir, v.files = "", nil
	return os.RemoveAll(dir)
}

// opener returns the command line that opens a file, without the file. It fails if the
// user would not see the result.
func opener(system string, env func(string) string) ([]string, error) {
	remote := env("SSH_CONNECTION") != "" || env("SSH_TTY") != ""
	desktop := system == "darwin" || system == "windows"
	display := env("DISPLAY") != "" || env("WAYLAND_DISPLAY") != ""
	switch {
	case remote && (desktop || !display):
		return nil, errors.New("mcpdbg runs over SSH, where no viewer can be shown")
	case system == "darwin":
		return []string{"open"}, nil
	case system == "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}, nil
	case !display:
		return nil, errors.New("no display: neither DISPLAY nor WAYLAND_DISPLAY is set")
	}
	return []string{"xdg-open"}, nil
}

// ViewerSuffix returns a suffix of a file name with which data can be opened, by its
// beginning and the type that a server declares, for pictures, sounds, videos and PDF;
// empty for everything else: another program could run that.
func ViewerSuffix(declared string, head []byte) string {
	known := map[string]string{
		"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/bmp": ".bmp",
		"audio/wave": ".wav", "audio/mpeg": ".mp3", "audio/aiff": ".aiff", "audio/midi": ".mid", "application/ogg": ".ogg",
		"video/mp4": ".mp4", "video/webm": ".webm", "video/avi": ".avi", "application/pdf": ".pdf",
	}
	found, _, _ := strings.Cut(http.DetectContentType(head), ";")
	if found != "application/octet-stream" || len(head) == 0 {
		return known[found]
	}
	unknown := map[string]string{ // by the declared type, if the beginning does not tell
		"image/tiff": ".tiff", "image/avif": ".avif", "image/heic": ".heic", "video/quicktime": ".mov",
		"audio/mpeg": ".mp3", "audio/flac": ".flac", "audio/aac": ".aac", "audio/mp4": ".m4a", "audio/wav": ".wav",
	}
	declared, _, _ = strings.Cut(declared, ";")
	return unknown[strings.ToLower(strings.TrimSpace(declared))]
}
