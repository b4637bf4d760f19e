package localexec

import "strings"

type fileSystem interface {
	IsFile(path string) bool
}

// A windowsSearch finds programs by the rules of Windows, on any system, so that
// they can be tested on any.
type windowsSearch struct {
	files      fileSystem
	path       string // PATH
	extensions string // PATHEXT; "" means the default
	dir        string // where relative names begin; "" for the current directory
}

// find returns the file of a program: a name with a separator is a path, another
// one is looked for in each directory of PATH. A name without an extension is
// never a program itself.
func (s windowsSearch) find(program string) (file string, found bool) {
	dirs := splitWindowsList(s.path)
	if strings.ContainsAny(program, `:\/`) {
		dirs = []string{""}
	}
	extensions := splitWindowsList(s.extensions)
	if len(extensions) == 0 {
		extensions = []string{".COM", ".EXE", ".BAT", ".CMD"}
	}
	base := program[strings.LastIndexAny(program, `:\/`)+1:]
	if strings.Contains(base, ".") {
		extensions = append([]string{""}, extensions...)
	}
	for _, d := range dirs {
		file := joinWindows(s.dir, joinWindows(d, program))
		for _, ext := range extensions {
			if s.files.IsFile(file + ext) {
				return file + ext, true
			}
		}
	}
	return "", false
}

// splitWindowsList splits a list at its semicolons outside of quotes, and omits empty
// items.
func splitWindowsList(list string) []string {
	var items []string
	quoted := false
	for _, item := range strings.FieldsFunc(list, func(r rune) bool {
		quoted = quoted != (r == '"')
		return r == ';' && !quoted
	}) {
		if item = strings.ReplaceAll(item, `"`, ""); item != "" {
			items = append(items, item)
		}
	}
	return items
}

// joinWindows returns a path relative to dir; one that begins with a separator stays on
// the drive of dir.
func joinWindows(dir, path string) string {
	switch {
	case dir == "", len(path) > 1 && path[1] == ':', strings.HasPrefix(path, `\\`):
		return path
	case strings.HasPrefix(path, `\`), strings.HasPrefix(path, "/"):
		if len(dir) > 1 && dir[1] == ':' {
			return dir[:2] + path
		}
		return path
	}
	return strings.TrimRight(dir, `\/`) + `\` + strings.TrimPrefix(strings.TrimPrefix(path, `.\`), "./")
}
