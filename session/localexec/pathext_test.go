package localexec

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// windowsFiles are the files of a file system whose names ignore case, and in
// which a slash is a separator too.
type windowsFiles []string

func (f windowsFiles) IsFile(path string) bool {
	path = strings.ReplaceAll(path, "/", `\`)
	return slices.ContainsFunc(f, func(file string) bool { return strings.EqualFold(file, path) })
}

// TestWindowsSearch is the table of how Windows finds programs.
func TestWindowsSearch(t *testing.T) {
	files := windowsFiles{
		`C:\bin\node.exe`, `C:\bin\npx`, `C:\bin\npx.cmd`, `C:\bin\both.bat`, `C:\bin\both.cmd`, `C:\bin\v1.2.exe`, `C:\bin\script.py`, `C:\bin\plain`,
		`C:\late\node.exe`, `C:\late\npx.exe`, `C:\late\only.com`, `C:\Program Files\x; y\tool.exe`,
		`C:\project\server.exe`, `C:\project\bin\run.cmd`, `C:\server.exe`, `D:\tools\x.exe`, `\\host\share\far.exe`,
	}
	const path = `C:\bin;;C:\late\;"C:\Program Files\x; y";bin`
	for _, c := range []struct{ program, path, ext, dir, want string }{
		{program: "node", want: `C:\bin\node.EXE`},
		{program: "node.exe", want: `C:\bin\node.exe`},
		{program: "NODE", want: `C:\bin\NODE.EXE`},
		{program: "npx", want: `C:\bin\npx.CMD`},   // not the shell script with the same name
		{program: "both", want: `C:\bin\both.BAT`}, // the order of PATHEXT
		{program: "both", ext: ".CMD;.BAT", want: `C:\bin\both.CMD`},
		{program: "only", want: `C:\late\only.COM`}, // the order of PATH, and a separator at its end
		{program: "npx", ext: ".EXE", want: `C:\late\npx.EXE`},
		{program: "script", ext: ".PY;.EXE", want: `C:\bin\script.PY`}, // an own PATHEXT
		{program: "script"},
		{program: "script.py", want: `C:\bin\script.py`},
		{program: "v1.2", want: `C:\bin\v1.2.EXE`}, // a dot in the name
		{program: "plain"},                         // nothing without an extension is a program
		{program: "plain", path: `C:\bin`},
		{program: "tool", want: `C:\Program Files\x; y\tool.EXE`},
		{program: "run", dir: `C:\project`, want: `C:\project\bin\run.CMD`}, // a relative directory in PATH
		{program: `.\server`, dir: `C:\project`, want: `C:\project\server.EXE`},
		{program: "./server.exe", dir: `C:\project`, want: `C:\project\server.exe`},
		{program: `bin\run`, dir: `C:\project`, want: `C:\project\bin\run.CMD`},
		{program: `bin\node`, dir: `C:\project`}, // PATH does not count for a path
		{program: `\server`, dir: `C:\project`, want: `C:\server.EXE`},
		{program: `D:\tools\x`, dir: `C:\project`, want: `D:\tools\x.EXE`},
		{program: `D:/tools/x.exe`, dir: `C:\project`, want: `D:/tools/x.exe`},
		{program: `\\host\share\far`, dir: `C:\project`, want: `\\host\share\far.EXE`},
		{program: "server", dir: `C:\project`}, // the current directory is not searched
		{program: "missing"},
		{program: "node", path: " "},
	} {
		s := windowsSearch{files: files, path: path, extensions: c.ext, dir: c.dir}
		if c.path != "" {
			s.path = c.path
		}
		file, found := s.find(c.program)
		require.Equal(t, c.want != "", found, "%+v", c)
		require.Equal(t, c.want, file, "%+v", c)
	}
}
