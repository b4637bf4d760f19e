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

// catalogLists are the lists of the catalog, in their order.
var catalogLists = []string{"tools", "resources", "templates", "prompts"}

// list opens a list of the catalog.
func (s *screen) list(name string) {
	s.t.Helper()
	s.keys("C")
	shown := s.until("┏━ Catalog")
	if !strings.Contains(shown, "type to narrow the list") {
		s.keys("Escape") // as it was left
		shown = s.until("type to narrow the list")
	}
	at := slices.IndexFunc(catalogLists, func(list string) bool { return strings.Contains(shown, "["+list) })
	for want := slices.Index(catalogLists, name); at != want; at = (at + 1) % len(catalogLists) {
		s.keys("Tab")
	}
	s.until("["+name, "> ")
}

// call fills in the first field of a tool's form, and sends it.
func (s *screen) call(tool, value string) {
	s.t.Helper()
	s.list("tools")
	s.keys("-l", tool)
	s.until("> "+tool, " of ")
	s.keys("Enter")
	s.until("Compose tools/call " + tool)
	s.keys("-l", value)
	s.keys("C-s")
}

// TestScreenCallsToolsOfServerEverything goes by form through what the reference
// server can do.
func TestScreenCallsToolsOfServerEverything(t *testing.T) {
	t.Parallel()
	s := realScreen(t, realServers[0], "--era", "legacy")

	s.until("ready", "~", "roots/list") // it asks at once, and has its answer

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
	s.list("resources")
	s.keys("C-s")
	s.until("subscribed: the server tells")
	s.keys("Escape")
	s.untilGone("┏━ Catalog")
	s.call("toggle-subscriber-updates", "")
	s.until("notifications/resources/updated")
	s.quit()
}

func TestScreenOfGopls(t *testing.T) {
	t.Parallel()
	s := realScreen(t, realServers[1])
	s.call("go_workspace", "")
	s.until("answered in", "content")
	s.quit()
}

// TestScreenOfTheGoSDK calls a tool in the modern era. What the server asks of
// its own it asks in the legacy one: in the other it has no way to yet.
func TestScreenOfTheGoSDK(t *testing.T) {
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
