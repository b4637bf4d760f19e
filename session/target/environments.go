package target

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"mcpdbg/internal/wording"
)

const (
	environmentsFile = "environments.toml"
	// legacyEnvironment is the id of the exec server in legacyURL, without the file.
	legacyEnvironment = "remote"
	legacyURL         = "CODEX_EXEC_SERVER_URL"
)

// execServer returns the exec server of one of Codex's environments, as --exec-server takes
// it. The error is why it cannot be used; found is false for an unknown environment.
func (r *reader) execServer(id string) (text string, found bool, err error) {
	file := filepath.Join(codexHome(r.opts), environmentsFile)
	data, err := readBounded(file)
	if errors.Is(err, fs.ErrNotExist) {
		url, ok := r.opts.LookupEnv(legacyURL)
		return url, ok && url != "" && id == legacyEnvironment, nil
	}
	if err == nil {
		var root *node
		if root, err = parseTOML(data); err == nil {
			return environment(root.list("environments"), id)
		}
	}
	return "", true, fmt.Errorf("%s can't be read: %w", file, err)
}

func codexHome(opts Options) string {
	if dir, ok := opts.LookupEnv("CODEX_HOME"); ok && filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(opts.Home, ".codex")
}

func environment(all *node, id string) (text string, found bool, err error) {
	if all == nil {
		return "", false, nil
	}
	for _, n := range all.items {
		if n.str("id") != id {
			continue
		}
		url, program := strings.TrimSpace(n.str("url")), strings.TrimSpace(n.str("program"))
		if (url == "") == (program == "") {
			return "", true, errors.New("it must have either a url or a program")
		}
		if url != "" {
			return url, true, nil
		}
		if name, v := n.first("env", "cwd"); v != nil {
			return "", true, fmt.Errorf("%s of its program is not supported", name)
		}
		words := []string{program}
		if args := n.list("args"); args != nil {
			for _, arg := range args.items {
				words = append(words, arg.text)
			}
		}
		return wording.CommandLine(words), true, nil
	}
	return "", false, nil
}
