package help

type line struct {
	text string
	ids  []string
}

// movements are the lines of all menus about movement.
var movements = []line{
	{"down, up", []string{"down", "up"}},
	{"page down, up", []string{"page-down", "page-up"}},
	{"half a page down, up", []string{"half-page-down", "half-page-up"}},
	{"first, last", []string{"top", "bottom"}},
	{"left, right", []string{"left", "right"}},
	{"next, previous pane", []string{"next-pane", "previous-pane"}},
	{"sessions, calls, detail, stderr, events", []string{"sessions", "traffic", "detail", "stderr", "events"}},
	{"smaller, larger pane", []string{"lower", "higher"}},
}

// menuLines returns the first lines of the menu of a scope, the most important first. Other
// menus have the actions in the order of importance among the hints.
func menuLines(scope string) []line {
	switch scope {
	case "traffic":
		return trafficMenu()
	case "detail":
		return detailMenu()
	}
	return nil
}

func trafficMenu() []line {
	return []line{
		{"call a tool", []string{"catalog"}},
		{"any message, raw bytes", []string{"compose"}},
		{"again, edit first", []string{"resend", "edit-resend"}},
		{"cancel", []string{"cancel"}},
		{"compare with the call before", []string{"compare-calls"}},
		{"calls, messages, all", []string{"timeline"}},
		{"copy, as a command line, ...", []string{"copy-menu"}},
		{"next, previous failed call", []string{"next-error", "previous-error"}},
		{"next, previous slow call", []string{"next-slow", "previous-slow"}},
		{"filter, only these", []string{"filter", "only-these"}},
		{"find, next, previous match", []string{"search", "next-match", "previous-match"}},
		{"time: waterfall, sequence, latency", []string{"time"}},
		{"stop the server, restart it", []string{"kill", "restart"}},
		{"what to hold, let all go, list", []string{"hold", "let-all-go", "held"}},
		{"why, list of problems", []string{"what-is-wrong", "findings"}},
		{"unfold, fold, all bursts", []string{"unfold", "fold-flood", "fold-floods"}},
	}
}

func detailMenu() []line {
	return []line{
		{"content, tree, text, bytes, ...", []string{"view"}},
		{"find, next, previous match", []string{"search", "next-match", "previous-match"}},
		{"unfold a value, read a link", []string{"open"}},
		{"unfold, fold, all", []string{"expand-all", "fold", "collapse-all"}},
		{"request next to response", []string{"view-pair"}},
		{"request or response", []string{"partner"}},
		{"copy a part, a value, its path", []string{"copy-menu"}},
		{"save this part", []string{"save-part"}},
		{"open in your editor, pager", []string{"open-in-editor", "open-in-pager"}},
		{"full screen", []string{"zoom"}},
		{"again, edit first", []string{"resend", "edit-resend"}},
	}
}
