package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcpdbg/session/mcp"
	"mcpdbg/ui/termsafe"
)

// completeOneOf has the shell complete a flag that is one of some words.
func completeOneOf(cmd *cobra.Command, flag string, words ...cobra.Completion) {
	// It fails only for a flag that is not there.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// completeNothing has the shell complete no files for flags whose values it does
// not know.
func completeNothing(cmd *cobra.Command, flags ...string) {
	for _, flag := range flags {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.NoFileCompletions) // the flag is there
	}
}

// isCompletion reports whether a shell calls the program to complete the last
// word of a command line.
func isCompletion(args []string) bool {
	return len(args) > 1 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// completeCommand completes the server's command: what follows the first -- of a
// command line of which the last word is being typed. It reports whether there is
// one.
func (a *app) completeCommand(words []string) (bool, error) {
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
		if _, err := fmt.Fprintln(a.stdout, name); err != nil {
			return true, err
		}
	}
	_, err := fmt.Fprintf(a.stdout, ":%d\n", cobra.ShellCompDirectiveDefault) // without names the shell completes files
	return true, err
}

// maxPrograms is how many programs a completion offers.
const maxPrograms = 2000

// programs are the programs on PATH whose names begin with what was typed. For a
// path there are none.
func programs(typed string) []string {
	if typed == "" || strings.ContainsAny(typed, `/\.~$`) {
		return nil
	}
	found := map[string]bool{}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		files, _ := os.ReadDir(dir) // one that can't be read has none to run
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

// isProgram reports whether a file of a folder can be executed.
func isProgram(dir string, f fs.DirEntry) bool {
	info, err := os.Stat(filepath.Join(dir, f.Name())) // also what a link leads to
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	if ext := filepath.Ext(f.Name()); filepath.Separator == '\\' {
		return slices.Contains([]string{".exe", ".cmd", ".bat", ".com"}, strings.ToLower(ext))
	}
	return info.Mode()&0o111 != 0
}

// completeMethods completes the method of a request.
func completeMethods(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 || cmd.Flags().Changed("tool") {
		return nil, cobra.ShellCompDirectiveDefault // NAME=@FILE
	}
	return mcp.Requests(), cobra.ShellCompDirectiveNoFileComp
}
