package edit

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"mcpdbg/internal/wording"
	"mcpdbg/session/target"
)

// checkProgram refuses a path of mcpdbg that soon leads nowhere.
func (ed *Editor) checkProgram() error {
	refuse := func(why string) error {
		return &RefusedError{ed.Program, why, "install mcpdbg first: go install ."}
	}
	switch {
	case !filepath.IsAbs(ed.Program):
		return refuse("not an absolute path")
	case !target.IsTap(ed.Program):
		return &RefusedError{ed.Program, "the program must be called mcpdbg, or a wrapped entry is not recognized", "rename it"}
	}
	for _, part := range strings.Split(filepath.ToSlash(ed.Program), "/") {
		if strings.HasPrefix(part, "go-build") {
			return refuse("go run has built this program, and removes it")
		}
	}
	for _, folder := range ed.Passing {
		if folder != "" && wording.IsWithin(folder, ed.Program) {
			return refuse("this program is in a temporary folder")
		}
	}
	return nil
}

// gitLimit is how long git may take.
const gitLimit = 5 * time.Second

// checkShared refuses a file that git tracks: the path of mcpdbg is one of this machine.
func (ed *Editor) checkShared(ctx context.Context, file string, e *target.Entry) error {
	if ed.Shared || e.Scope != target.ScopeProject {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, gitLimit)
	defer cancel()
	git := exec.CommandContext(ctx, "git", "-C", filepath.Dir(file), "ls-files", "--error-unmatch", "--", filepath.Base(file))
	if git.Run() != nil {
		return nil // not tracked, or there is no git
	}
	hint := "use --shared to change it all the same, and do not commit the change"
	if word, _ := e.Client.Facts(); word.Word == "claude-code" {
		hint += "; or add an entry of the same name in local scope: claude mcp add --scope local " + wording.Quote(e.Name) + " -- " +
			wording.CommandLine([]string{ed.Program, "tap", "--name", e.Name, "--"}) + " COMMAND"
	}
	return &RefusedError{place(e), "git tracks the file, and the path of mcpdbg is one of this machine", hint}
}
