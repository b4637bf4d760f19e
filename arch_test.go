package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// module is the module's path, with which all names of packages begin.
const module = "mcpdbg"

// An importRule lists what packages must not depend on, directly or indirectly.
// Packages are named without the module; "" is every package of the module. A
// name covers the packages below it, too, and NAME/... only those. A package may
// import what is below it, unless the rule names that, and package wording, unless it
// is alone.
type importRule struct {
	packages string   // as for go list, below the module
	not      []string // packages that the rule does not apply to
	never    []string
	but      []string // what they may import all the same
	alone    bool     // not even wording
	why      string
}

const (
	// wording is the one package that any other may import.
	wording = "internal/wording"

	charm = "charm.land/"
	ssh   = "golang.org/x/crypto/ssh"
)

// families are the folders of commands, which know nothing of each other.
var families = []string{"internal/cli/rec", "internal/cli/run", "internal/cli/replay", "internal/cli/smoke"}

// otherFamilies returns the families but for one.
func otherFamilies(name string) []string {
	return slices.DeleteFunc(slices.Clone(families), func(family string) bool { return family == "internal/cli/"+name })
}

// importRules are the import rules. docs/dev/architecture.md lists those of folders; go
// test . -run TestImportRulesInDocs -update writes that list.
var importRules = []importRule{
	{packages: "framing", never: []string{"", charm, ssh}, alone: true, why: "the lowest layer"},
	{packages: "session/...", never: []string{"recordings", "ui", "internal", "sshexec", charm, ssh}, why: "below recordings, and above framing only"},
	{packages: "session", never: []string{"session/exchange", "session/index", "session/diagnosis/rule", "session/diagnosis/cause", "session/localexec", "session/target"},
		why: "a session writes its log; what reads the log is above it"},
	{packages: "session/exchange", never: []string{"session/index", "session/elements", "session/diagnosis/rule", "session/diagnosis/cause", "session/localexec", "session/target"}, why: "follows the rows of a log, whichever program wrote it"},
	{packages: "session/executor", never: []string{""}, why: "a contract, which every executor implements"},
	{packages: "session/executor/guard", never: []string{""}, but: []string{"session/executor"}, why: "scripts and their protocol, for every executor that reaches a shell"},
	{packages: "session/execserver", never: []string{""}, but: []string{"framing", "session/executor", "session/executor/guard", "session/execserver/wire"}, why: "a client; connections are passed in"},
	{packages: "session/execserver/wire", never: []string{""}, but: []string{"framing"}, why: "the messages, for client and server"},
	{packages: "session/via", never: []string{""}, but: []string{"session/executor", "session/executor/guard"}, why: "prefixes of commands, and an executor over one that is passed in"},
	{packages: "session/via/enginetest", never: []string{""}, but: []string{"session/executor", "session/exectest"}, why: "takes the place of programs that do not know this one"},
	{packages: "session/execserver/dial", never: []string{""}, but: []string{"session/execserver/wire", "session/executor", "session/unixsocket", "framing"}, why: "connections, and no process"},
	{packages: "session/mcp", never: []string{""}, but: []string{"session/mcp", "framing"}, why: "facts, and the shapes of messages"},
	{packages: "session/summary", never: []string{""}, but: []string{"session/mcp", "framing"}, why: "reads messages, and knows no log"},
	{packages: "session/jq", never: []string{""}, why: "knows values only"},
	{packages: "session/answers", never: []string{""}, but: []string{"session/mcp", "framing"}, why: "selects answers, and knows no session"},
	{packages: "session/secret", never: []string{""}, but: []string{"session/executor"}, why: "knows values only"},
	{packages: "session/spool", never: []string{""}, but: []string{"framing"}, why: "knows one line"},
	{packages: "session/execserver/serve", never: []string{""}, but: []string{"session/execserver/wire", "session/executor", "framing"}, why: "serves any executor, which is passed in"},
	{packages: "session/unixsocket", never: []string{""}, why: "knows sockets only"},
	{packages: "session/jsonschema", never: []string{""}, why: "knows values only"},
	{packages: "session/diagnosis", never: []string{""}, but: []string{"session/executor"}, why: "words that sessions and both halves share"},
	{packages: "session/diagnosis/rule", never: []string{"session/localexec", "session/target", "session/diagnosis/cause"}, why: "reads a log, whichever program wrote it"},
	{packages: "session/diagnosis/cause", never: []string{"session/localexec", "session/target", "session/diagnosis/rule"}, why: "reads a log, whichever program wrote it"},
	{packages: "session/target", never: []string{""}, but: []string{"framing", "session/executor"}, why: "selects what to start, and starts nothing"},
	{packages: "sshexec/...", never: []string{"", charm}, but: []string{"sshexec", "session/executor", "session/exectest"}, why: "an executor knows neither messages nor recordings"},
	{packages: "recordings", never: []string{"recordings/..."}, why: "the file knows none of the tools over it"},
	{packages: "recordings/...", never: []string{"ui", "internal", "sshexec", "session/localexec", charm, ssh}, why: "a recording knows no executor"},
	{packages: "recordings/junit", never: []string{""}, why: "an output format, for results of any kind"},
	{packages: "ui/...", never: []string{"internal", "sshexec", "session/localexec", ssh}, why: "internal/cli passes executors in"},
	{packages: "ui/...", not: []string{"ui", "ui/host", "ui/kit", "ui/tty", "ui/uitest", "ui/widget", "ui/workspace"}, never: []string{"ui"},
		but: []string{"ui/host", "ui/kit", "ui/workspace", "ui/widget"}, why: "a screen knows neither the shell nor another screen"},
	{packages: "ui/tty", never: []string{"ui"}, but: []string{"ui/widget/termsafe"}, why: "a terminal without the interface; a question of the program knows no screen"},
	{packages: "ui/uitest", never: []string{"ui"}, but: []string{"ui/host", "ui/kit", "ui/workspace", "ui/widget"}, why: "tests of any screen use it"},
	{packages: "ui/widget/...", never: []string{"ui"}, but: []string{"ui/widget"}, why: "a widget knows no screen"},
	{packages: "ui/widget/grid", never: []string{"session", "framing", "recordings"}, why: "a grid knows lines, and no session"},
	{packages: "ui/widget/form", never: []string{"session", "framing", "recordings"}, but: []string{"session/jsonschema"}, why: "a form knows a schema, and no session"},
	{packages: "ui/widget/termsafe", never: []string{"", charm}, why: "usable wherever text leaves the program"},
	{packages: "internal/verify/...", never: []string{"sshexec", "session/localexec", "internal/cli", "ui", charm, ssh}, but: []string{"ui/widget/termsafe"},
		why: "internal/cli makes the sessions, and a run knows no screen"},
	{packages: "internal/scenario/...", never: []string{"sshexec", "session/localexec", "internal/cli", "internal/verify", "ui", charm, ssh}, why: "runs in any session, and knows no screen"},
	{packages: "internal/watch", never: []string{"", charm, ssh}, but: []string{"session/filelock"}, why: "knows files, and no session"},
	{packages: "internal/cli/rec", never: otherFamilies("rec"), why: "families of commands know nothing of each other"},
	{packages: "internal/cli/run", never: otherFamilies("run"), why: "families of commands know nothing of each other"},
	{packages: "internal/cli/replay", never: otherFamilies("replay"), why: "families of commands know nothing of each other"},
	{packages: "internal/cli/smoke", never: otherFamilies("smoke"), why: "families of commands know nothing of each other"},
	{packages: "internal/cli/console", never: slices.Concat(families, []string{"internal/cli/flags", "internal/cli/live", "internal/cli/logs", "internal/cli/tui"}), why: "streams, signals, files, errors and exit codes, of any command"},
	{packages: "internal/cli/flags", never: slices.Concat(families, []string{"internal/cli/live", "internal/cli/logs", "internal/cli/tui"}), why: "flags that commands share"},
	{packages: "internal/cli/live", never: slices.Concat(families, []string{"internal/cli/tui"}), why: "sessions of commands without a screen"},
	{packages: "internal/cli/logs", never: slices.Concat(families, []string{"internal/cli/flags", "internal/cli/live", "internal/cli/tui"}), why: "logs as lines, checked or not"},
	{packages: "internal/cli/tui", never: families, why: "the interface, of any command"},
	{packages: "internal/demo", never: []string{"", charm, ssh}, alone: true, why: "a server under test shares no code with its debugger"},
	{packages: "internal/tools/bench", never: []string{"internal/cli", "internal/demo", "internal/verify", "ui", "session/localexec", charm}, why: "compares processes, and knows the program only as one of them"},
	{packages: "internal/tools/bench/raw", never: []string{""}, but: []string{"internal/tools/bench/trip"}, why: "the least that a client or server can do"},
	{packages: "internal/tools/bench/trip", never: []string{""}, why: "knows messages only"},
	{packages: "internal/tools/release", never: []string{""}, why: "packs files, whatever is in them"},
	{packages: "internal/tools/pty", never: []string{""}, why: "knows processes only"},
	{packages: "internal/input", never: []string{""}, why: "knows files and streams only"},
	{packages: wording, never: []string{""}, why: "knows text only, so that any package can use it"},
}

// onlyRules list where a module of others, or a package for tests, may be imported
// directly. Tests may always do so.
var onlyRules = []struct {
	module string
	in     []string // folders and files; nil for tests only
	not    []string // those in them
	why    string
}{
	{charm, []string{"ui/"}, nil, "the terminal library is a matter of the user interface"},
	{charm + "lipgloss", []string{"ui/"}, []string{"ui/traffic/", "ui/widget/grid/", "ui/widget/jsontree/", "ui/widget/table/"}, "painted by hand, from styles that the theme compiled: their cost must not grow with rows"},
	{ssh, []string{"sshexec/"}, nil, "only executors over SSH speak SSH"},
	{"github.com/coder/websocket", []string{"session/execserver/dial/"}, nil, "only exec servers are reached by URL"},
	{module + "/ui/uitest", nil, nil, "it is for tests of screens"},
	{module + "/session/via/enginetest", nil, nil, "it is for tests of containers"},
	{module + "/internal/cli/clitest", nil, nil, "it is for tests of commands"},
	{"text/template", nil, nil, "templates call methods by name, so that the linker would keep every exported method: 3 MB"},
	{"html/template", nil, nil, "the same"},
}

// TestImportRules checks the rules against all dependencies.
func TestImportRules(t *testing.T) {
	deps := dependencies(t)
	for _, rule := range importRules {
		checked := 0
		for pkg, all := range deps {
			if !rule.applies(pkg) {
				continue
			}
			checked++
			for _, dep := range all {
				require.False(t, rule.forbids(pkg, dep), "%s must not depend on %s: %s", pkg, dep, rule.why)
			}
		}
		if rule.not == nil {
			require.Positive(t, checked, "there is no package %s", rule.packages)
		}
	}
}

// TestImportRuleForbids checks the rules' own terms.
func TestImportRuleForbids(t *testing.T) {
	for _, tc := range []struct {
		rule     importRule
		pkg, dep string
		want     bool
	}{
		{importRule{never: []string{""}}, "framing", "session", true},
		{importRule{never: []string{""}}, "framing", "framing/x", false},
		{importRule{never: []string{""}, but: []string{"session/executor"}}, "sshexec", "session", true},
		{importRule{never: []string{""}, but: []string{"session/executor"}}, "sshexec", "session/executor", false},
		{importRule{never: []string{"", "internal"}}, "session", wording, false},
		{importRule{never: []string{""}, alone: true}, "framing", wording, true},
		{importRule{never: []string{"session"}}, "recordings", "sessions", false},
		{importRule{never: []string{"session"}}, "recordings", "session/mcp", true},
		{importRule{never: []string{"session/index"}}, "session", "session/index", true},
		{importRule{never: []string{"recordings/..."}}, "recordings", "recordings/match", true},
		{importRule{never: []string{"ui"}, but: []string{"ui/kit"}}, "ui/home", "ui/server", true},
		{importRule{never: []string{"ui"}, but: []string{"ui/kit"}}, "ui/home", "ui/home/rows", false},
		{importRule{never: []string{"ui"}, but: []string{"ui/kit"}}, "ui/home", "ui/kit", false},
		{importRule{never: []string{"ui"}, but: []string{"ui/kit"}}, "ui/home", "ui", true},
	} {
		require.Equal(t, tc.want, tc.rule.forbids(full(tc.pkg), full(tc.dep)), "%+v", tc)
	}
	screens := importRule{packages: "ui/...", not: []string{"ui", "ui/kit"}}
	require.True(t, screens.applies(full("ui/home")))
	require.False(t, screens.applies(full("ui")))
	require.False(t, screens.applies(full("ui/kit/list")))
	require.False(t, screens.applies(full("recordings")))
}

// TestOnlyRules checks which files import modules of others, tests included.
func TestOnlyRules(t *testing.T) {
	require.NoError(t, filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range f.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			for _, rule := range onlyRules {
				within := func(folder string) bool { return strings.HasPrefix(filepath.ToSlash(path), folder) }
				allowed := strings.HasSuffix(path, "_test.go") || slices.ContainsFunc(rule.in, within) && !slices.ContainsFunc(rule.not, within)
				require.False(t, below(imported, rule.module) && !allowed, "%s must not import %s: %s", path, imported, rule.why)
			}
		}
		return nil
	}))
}

// TestImportRulesInDocs checks that the list of the rules is up to date.
func TestImportRulesInDocs(t *testing.T) {
	const (
		path       = "docs/dev/architecture.md"
		begin, end = "<!-- import rules: go test . -run TestImportRulesInDocs -update -->\n", "<!-- end of import rules -->"
	)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(data), begin)
	require.True(t, ok, "%s has no %q", path, begin)
	list, tail, ok := strings.Cut(rest, end)
	require.True(t, ok, "%s has no %q", path, end)
	want := importRulesTable()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(head+begin+want+end+tail), 0o644))
		return
	}
	require.Equal(t, want, list, "the import rules are stale: go test . -run TestImportRulesInDocs -update")
}

// importRulesTable returns the rules of the folders at the top, and of all packages below a folder.
func importRulesTable() string {
	var b strings.Builder
	b.WriteString("\n| packages | never depend on | because |\n|---|---|---|\n")
	for _, rule := range importRules {
		if strings.Contains(rule.packages, "/") && !strings.HasSuffix(rule.packages, "/...") {
			continue
		}
		packages := "`" + rule.packages + "`"
		if rule.not != nil {
			packages += " except " + codes(rule.not)
		}
		never := codes(rule.never)
		if rule.but != nil {
			never += ", except " + codes(rule.but)
		}
		if rule.alone {
			never += ", not even `" + wording + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", packages, never, rule.why)
	}
	b.WriteString("\n| module | only imported in | because |\n|---|---|---|\n")
	for _, rule := range onlyRules {
		in := codes(rule.in)
		if rule.in == nil {
			in = "tests"
		}
		if rule.not != nil {
			in += ", except " + codes(rule.not)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", codes([]string{rule.module}), in, rule.why)
	}
	b.WriteString("\n")
	return b.String()
}

// codes formats names for Markdown.
func codes(names []string) string {
	var all []string
	for _, name := range names {
		if name == "" {
			all = append(all, "any of our packages")
			continue
		}
		all = append(all, "`"+strings.TrimSuffix(name, "/")+"`")
	}
	return strings.Join(all, ", ")
}

func (r *importRule) applies(pkg string) bool {
	folder, all := strings.CutSuffix(r.packages, "/...")
	if slices.ContainsFunc(r.not, func(name string) bool {
		return pkg == full(name) || full(name) != full(folder) && below(pkg, full(name))
	}) {
		return false
	}
	return pkg == full(folder) || all && below(pkg, full(folder))
}

func (r *importRule) forbids(pkg, dep string) bool {
	in := func(name string) bool {
		top, only := strings.CutSuffix(name, "/...")
		return below(dep, full(top)) && (!only || dep != full(top)) && (only || !below(dep, pkg) || below(full(top), pkg))
	}
	if dep == full(wording) {
		return r.alone
	}
	return dep != pkg && slices.ContainsFunc(r.never, in) && !slices.ContainsFunc(r.but, func(name string) bool { return below(dep, full(name)) })
}

// full returns the path of a package that a rule names.
func full(name string) string {
	switch {
	case name == "":
		return module
	case strings.Contains(name, "."):
		return name
	}
	return module + "/" + name
}

// below reports whether a package is another one, or below it.
func below(pkg, top string) bool {
	top = strings.TrimSuffix(top, "/")
	return pkg == top || strings.HasPrefix(pkg, top+"/")
}

// dependencies returns what each package of the module depends on, directly and
// indirectly.
func dependencies(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Deps " "}}`, "./...").Output()
	require.NoError(t, err, "%s", out)
	deps := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		deps[words[0]] = words[1:]
	}
	return deps
}
