package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"mcpdbg/internal/wording"
)

// Versions that --install fetches. Others are the system's; the report names them.
const (
	inspectorPackage = "@modelcontextprotocol/inspector"
	inspectorVersion = "2.12.0"
	inspectorNode    = "22.23.3" // the Inspector requires 22.19 or newer
	sdkModule        = "github.com/modelcontextprotocol/go-sdk"
	sdkVersion       = "v1.8.0"
)

// packages are the Debian packages of the programs.
var packages = map[string]string{
	"less": "less", "lnav": "lnav", "rg": "ripgrep", "jq": "jq", "python3": "python3", "ssh": "openssh-client", "xargs": "findutils",
	"cat": "coreutils", "tee": "coreutils", "wc": "coreutils",
}

// program returns the path of an installed program.
func program(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", &missing{name + " is not installed", "apt-get install " + packages[name]}
	}
	return path, nil
}

var versionNumber = regexp.MustCompile(`\d+(\.\d+)*[^\s,]*`)

// "" if it is not installed.
func version(name string) string {
	args := []string{"--version"}
	if name == "ssh" {
		args = []string{"-V"}
	}
	out, _ := exec.Command(name, args...).CombinedOutput() // not every program knows the option
	line, _, _ := strings.Cut(string(out), "\n")
	return versionNumber.FindString(line)
}

// Next to the tools of .ci/run.
func cached(name string) (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "mcpdbg-ci", name), err
}

func (l *lab) inspector(args ...string) ([]string, error) {
	home, err := cached("inspector/" + inspectorVersion + "-" + inspectorNode)
	if err != nil {
		return nil, err
	}
	node := filepath.Join(home, "node_modules/node/bin/node")
	entry := filepath.Join(home, "node_modules", inspectorPackage, "clients/launcher/build/index.js")
	if !exist(node, entry) {
		if !l.install {
			return nil, &missing{"the Inspector " + inspectorVersion + " is not installed", "go run ./internal/tools/bench --install"}
		}
		if err := l.installInspector(home); err != nil {
			return nil, err
		}
	}
	return append([]string{node, entry}, args...), nil
}

// installInspector also fetches a Node that can run it. No package may run scripts when
// it is installed.
func (l *lab) installInspector(home string) error {
	if _, err := exec.LookPath("npm"); err != nil {
		return &missing{"npm is not installed", "apt-get install npm"}
	}
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	err := runQuietly(l.command("npm", "install", "--silent", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", home,
		inspectorPackage+"@"+inspectorVersion, fmt.Sprintf("node@npm:node-linux-%s@%s", arch, inspectorNode)))
	if err != nil {
		return errors.Join(err, os.RemoveAll(home)) // half of it is worse than nothing
	}
	return nil
}

func exist(paths ...string) bool {
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			return false
		}
	}
	return true
}

// sdkClient lists the tools with the official Go SDK. It is built in its own module, so
// that this one does not depend on the SDK.
func (l *lab) sdkClient() (string, error) {
	return l.make("sdk", func(path string) error {
		dir := l.file("sdk-module")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		mod := "module sdkclient\n\ngo 1.26.0\n\nrequire " + sdkModule + " " + sdkVersion + "\n"
		for name, text := range map[string]string{"go.mod": mod, "main.go": sdkSource} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				return err
			}
		}
		tidy := l.command("go", "mod", "tidy")
		tidy.Dir = dir
		if err := runQuietly(tidy); err != nil {
			return &missing{"the Go SDK " + sdkVersion + " cannot be fetched: " + wording.Tail(err.Error(), 200), "allow access to the Go module proxy"}
		}
		return l.build(path, dir, ".")
	})
}

const sdkSource = `package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	ctx := context.Background()
	client := mcp.NewClient(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: exec.Command(os.Args[1], os.Args[2:]...)}, nil)
	if err == nil {
		for tool, listErr := range session.Tools(ctx, nil) {
			if err = listErr; err != nil {
				break
			}
			fmt.Println(tool.Name)
		}
	}
	if err == nil {
		err = session.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
`

// empty returns a Go program that does nothing.
func (l *lab) empty() (string, error) {
	return l.make("empty", func(path string) error {
		source := l.file("empty.go")
		if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
			return err
		}
		return l.build(path, l.root, source)
	})
}
