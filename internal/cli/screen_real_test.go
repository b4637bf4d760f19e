package cli

import (
	"slices"
	"strings"
	"testing"
)

// realScreen runs a real server on a screen, and waits until it is ready.
func realScreen(t *testing.T, s realServer, flags ...string) *screen {
	t.Helper()
	screen := onScreen(t, 120, 36, s.command(t, flags...)...)
	screen.until("ready")
	return screen
}

// catalogLists are the lists of the catalog, in order.
var catalogLists = []string{"Tools", "Resources", "Templates", "Prompts"}

// list opens a list of the catalog, which opens with the tools.
func (s *screen) list(name string) {
	s.t.Helper()
	s.keys("C")
	shown := s.until("┏━ Catalog")
	if !strings.Contains(shown, "type to narrow the list") {
		s.keys("Escape") // as it was left
		s.until("type to narrow the list")
	}
	for range slices.Index(catalogLists, name) {
		s.keys("Tab")
	}
	s.until("["+name, "> ")
}

// call fills in the first field of a tool's form, and sends it.
func (s *screen) call(tool, value string) {
	s.t.Helper()
	s.list("Tools")
	s.keys("-l", tool)
	s.until("> "+tool, " of ")
	s.keys("Enter")
	s.until("Compose tools/call " + tool)
	s.keys("-l", value)
	s.keys("C-s")
}

// TestScreenCallsToolsOfServerEverything calls the tools of the reference server
// through forms.
func TestScreenCallsToolsOfServerEverything(t *testing.T) {
	t.Parallel()
	s := realScreen(t, realServers[0], "--era", "legacy")

	s.until("ready", "← roots/list") // requested at once, and answered

	s.call("echo", "hello")
	s.until("answered in", "Echo: hello")

	s.call("trigger-elicitation-request", "")
	s.until("SERVER WAITS FOR YOU", "elicitation/create")
	s.keys("A")
	s.until("The server asks you to fill in a form", "the server says", "name")
	s.keys("-l", "Ada")
	s.keys("C-s")
	s.until("answered in", "trigger-elicitation-request", "User p") // "User provided ..."

	s.call("trigger-sampling-request", "a haiku")
	s.until("SERVER WAITS FOR YOU", "sampling/createMessage")
	s.keys("A")
	s.until("a haiku", "accept")
	s.keys("C-s")
	s.until("answered in", "trigger-sampling-request")
	s.quit()
}

func TestScreenShowsProgressAndCancels(t *testing.T) {
	t.Parallel()
	s := realScreen(t, realServers[0], "--era", "legacy")
	s.call("trigger-long-running-operation", "")
	s.until("ctrl+x cancel", "2/5")
	s.keys("C-x")
	s.until("cancelled")
	s.quit()
}

func TestScreenSubscribes(t *testing.T) {
	t.Parallel()
	s := realScreen(t, realServers[0], "--era", "legacy")
	s.list("Resources")
	s.keys("C-s")
	s.until("subscribed to changes")
	s.keys("Escape")
	s.untilGone("┏━ Catalog")
	s.call("toggle-subscriber-updates", "")
	s.until("← resources/updated")
	s.quit()
}

func TestScreenWithGopls(t *testing.T) {
	t.Parallel()
	s := realScreen(t, realServers[1])
	s.call("go_workspace", "")
	s.until("answered in", "content")
	s.quit()
}

// TestScreenWithGoSDK calls a tool in the modern era. Server requests are
// tested in the legacy era, because the SDK cannot send them in the modern one
// yet.
func TestScreenWithGoSDK(t *testing.T) {
	t.Parallel()
	s := realScreen(t, realServers[2])
	s.until("2026-07-28 modern")
	s.call("greet", "Ada")
	s.until("answered in", "greet", "Hi Ada")
	s.quit()

	s = realScreen(t, realServers[2], "--era", "legacy")
	s.call("elicit (form)", "")
	s.until("SERVER WAITS FOR YOU", "elicitation/create")
	s.keys("A")
	s.until("The server asks you to fill in a form")
	s.keys("-l", "ABC") // without it the server dies of its own type assertion
	s.keys("C-s")
	s.until("answered in", "elicit (form)")
	s.quit()
}
