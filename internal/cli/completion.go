package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/internal/cli/console"
	"mcpdbg/ui/widget/termsafe"
)

func isCompletion(args []string) bool {
	return len(args) > 1 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// completeCommand completes the command after the first --; words ends with the typed
// one. It reports whether there is a command.
func completeCommand(env *console.Env, words []string) (bool, error) {
	typed := len(words) - 1
	i := slices.Index(words[:typed], "--")
	if i < 0 {
		return false, nil
	}
	var names []string
	if i == typed-1 {
		names = programs(words[typed])
	}
	for _, name := range names {
		if _, err := fmt.Fprintln(env.Stdout, name); err != nil {
			return true, err
		}
	}
	_, err := fmt.Fprintf(env.Stdout, ":%d\n", cobra.ShellCompDirectiveDefault) // without names the shell completes files
	return true, err
}

const maxPrograms = 2000

// Programs on PATH; none if typed is a path.
func programs(typed string) []string {
	if typed == "" || strings.ContainsAny(typed, `/\.~$`) {
		return nil
	}
	found := map[string]bool{}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		files, _ := os.ReadDir(dir) // skip unreadable directories
		for _, f := range files {
			name := f.Name()
			if len(found) < maxPrograms && strings.HasPrefix(name, typed) && termsafe.String(name) == name && isProgram(dir, f) {
				found[name] = true
			}
		}
	}
	var names []string
	for name := range found {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func isProgram(dir string, f fs.DirEntry) bool {
	info, err := os.Stat(filepath.Join(dir, f.Name())) // follows links
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	if ext := filepath.Ext(f.Name()); filepath.Separator == '\\' {
		return slices.Contains([]string{".exe", ".cmd", ".bat", ".com"}, strings.ToLower(ext))
	}
	return info.Mode()&0o111 != 0
}
