package cli

import (
	"slices"
	"strings"
	"testing"

	"mcpdbg/internal/cli/clitest"
)

// A realScreen is the program with a real server on a screen.
type realScreen struct{ *clitest.Screen }

// onRealScreen waits until the server is ready.
func onRealScreen(t *testing.T, s clitest.RealServer, flags ...string) realScreen {
	t.Helper()
	screen := clitest.OnScreen(t, 120, 36, s.Command(t, flags...)...)
	screen.Until("ready")
	return realScreen{screen}
}

// catalogLists are the lists of the catalog, in order.
var catalogLists = []string{"Tools", "Resources", "Templates", "Prompts"}

// list opens a list of the catalog, which opens with the tools.
func (s realScreen) list(name string) {
	s.Keys("C")
	shown := s.Until("Templates", "Prompts")
	if !strings.Contains(shown, "type to narrow the list") {
		s.Keys("Escape") // as it was left
		s.Until("type to narrow the list")
	}
	for range slices.Index(catalogLists, name) {
		s.Keys("Tab")
	}
	s.Until("["+name, "> ")
}

// call fills in the first field of a tool's form, and sends it.
func (s realScreen) call(tool, value string) {
	s.list("Tools")
	s.Keys("-l", tool)
	s.Until("> "+tool, " of ")
	s.Keys("Enter")
	s.Until("Call " + tool)
	s.Keys("-l", value)
	s.Keys("C-s")
}

// TestScreenCallsToolsOfServerEverything calls the tools of the reference server
// through forms.
func TestScreenCallsToolsOfServerEverything(t *testing.T) {
	t.Parallel()
	s := onRealScreen(t, clitest.RealServers[0], "--era", "legacy")

	s.Until("ready", "← roots/list") // requested at once, and answered

	s.call("echo", "hello")
	s.Until("answered in", "Echo: hello")

	s.call("trigger-elicitation-request", "")
	s.Until("1 waits for you", "elicitation/create")
	s.Keys("A")
	s.Until("asks you", "The server says", "name")
	s.Keys("-l", "Ada")
	s.Keys("C-s")
	s.Until("answered in", "trigger-elicitation-request", "User p") // "User provided ..."

	s.call("trigger-sampling-request", "a haiku")
	s.Until("1 waits for you", "sampling/createMessage")
	s.Keys("A")
	s.Until("a haiku", "accept")
	s.Keys("C-s")
	s.Until("answered in", "trigger-sampling-request")
	s.Quit()
}

func TestScreenShowsProgressAndCancels(t *testing.T) {
	t.Parallel()
	s := onRealScreen(t, clitest.RealServers[0], "--era", "legacy")
	s.call("trigger-long-running-operation", "")
	s.Until("x cancel", "40 %")
	s.Keys("x")
	s.Until("cancelled by you")
	s.Quit()
}

func TestScreenSubscribes(t *testing.T) {
	t.Parallel()
	s := onRealScreen(t, clitest.RealServers[0], "--era", "legacy")
	s.list("Resources")
	s.Keys("C-s")
	s.Until("subscribed to changes")
	s.Keys("Escape")
	s.UntilGone("Templates")
	s.call("toggle-subscriber-updates", "")
	s.Until("← resources/updated")
	s.Quit()
}

func TestScreenWithGopls(t *testing.T) {
	t.Parallel()
	s := onRealScreen(t, clitest.RealServers[1])
	s.call("go_workspace", "")
	s.Until("answered in", "content")
	s.Quit()
}

// TestScreenWithGoSDK calls a tool in the modern era. Server requests are
// tested in the legacy era, because the SDK cannot send them in the modern one
// yet.
func TestScreenWithGoSDK(t *testing.T) {
	t.Parallel()
	s := onRealScreen(t, clitest.RealServers[2])
	s.Until("2026-07-28")
	s.call("greet", "Ada")
	s.Until("answered in", "greet", "Hi Ada")
	s.Quit()

	s = onRealScreen(t, clitest.RealServers[2], "--era", "legacy")
	s.call("elicit (form)", "")
	s.Until("1 waits for you", "elicitation/create")
	s.Keys("A")
	s.Until("asks you")
	s.Keys("-l", "ABC") // without it the server dies of its own type assertion
	s.Keys("C-s")
	s.Until("answered in", "elicit (form)")
	s.Quit()
}
