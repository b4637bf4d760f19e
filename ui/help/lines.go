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

// menuLines returns the first lines of the menu of a scope, the most important first.
func menuLines(scope string) []line {
	switch scope {
	case "traffic":
		return trafficMenu()
	case "detail":
		return detailMenu()
	case "log":
		return stripMenu()
	case "sessions":
		return sessionsMenu()
	case "catalog":
		return catalogMenu()
	case "time-waterfall":
		return waterfallMenu()
	case "time-sequence":
		return sequenceMenu()
	case "time-latency":
		return latencyMenu()
	case "overview":
		return overviewMenu()
	}
	return nil
}

func trafficMenu() []line {
	return []line{
		{"call a tool", []string{"catalog"}},
		{"any message, raw bytes", []string{"compose"}},
		{"again, edit first", []string{"resend", "edit-resend"}},
		{"cancel", []string{"cancel"}},
		{"compare with the call before", []string{"compare-call"}},
		{"calls, messages, all", []string{"timeline"}},
		{"copy, as a command line, ...", []string{"copy-menu"}},
		{"next, previous failed call", []string{"next-error", "previous-error"}},
		{"next, previous slow call", []string{"next-slow", "previous-slow"}},
		{"filter, only these", []string{"filter", "only"}},
		{"find, next, previous match", []string{"search", "next-match", "previous-match"}},
		{"time: waterfall, sequence, latency", []string{"time"}},
		{"stop the server, restart it", []string{"kill", "restart"}},
		{"why, list of problems", []string{"what-is-wrong", "problems"}},
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
		{"send again, edit first", []string{"resend", "edit-resend"}},
		{"call a tool", []string{"catalog"}},
		{"back to the list", []string{"back"}},
		{"every command by name", []string{"palette"}},
	}
}

func stripMenu() []line {
	return []line{
		{"read the line full size", []string{"open"}},
		{"find, next, previous match", []string{"search", "next-match", "previous-match"}},
		{"follow new lines, or stop", []string{"follow"}},
		{"what is wrong and why", []string{"what-is-wrong"}},
		{"first, last line", []string{"top", "bottom"}},
		{"the process and its start", []string{"info"}},
		{"full screen", []string{"zoom"}},
		{"copy", []string{"copy-menu"}},
		{"stop the server", []string{"kill"}},
		{"back to the traffic", []string{"traffic"}},
		{"every command by name", []string{"palette"}},
	}
}

func sessionsMenu() []line {
	return []line{
		{"go to its traffic", []string{"open"}},
		{"next, previous session", []string{"next-session", "previous-session"}},
		{"open another server", []string{"open-session"}},
		{"compare two sessions", []string{"compare"}},
		{"rename", []string{"rename-session"}},
		{"remove from the list", []string{"remove-session"}},
		{"restart the server", []string{"restart"}},
		{"stop the server", []string{"kill"}},
		{"what is wrong and why", []string{"what-is-wrong"}},
		{"every command by name", []string{"palette"}},
	}
}

func catalogMenu() []line {
	return []line{
		{"fill in the arguments and call", []string{"catalog-open"}},
		{"next tab, previous tab", []string{"catalog-next-list", "catalog-previous-list"}},
		{"description, schemas, JSON", []string{"catalog-side"}},
		{"scroll the item", []string{"catalog-side-down", "catalog-side-up"}},
		{"request the list again", []string{"catalog-reload"}},
		{"subscribe to changes", []string{"catalog-subscribe"}},
		{"empty the search", []string{"catalog-clear"}},
		{"close", []string{"catalog-close"}},
	}
}

func waterfallMenu() []line {
	return []line{
		{"go to the exchange", []string{"waterfall-select"}},
		{"zoom at the cursor", []string{"waterfall-zoom-in", "waterfall-zoom-out"}},
		{"earlier, later", []string{"waterfall-left", "waterfall-right"}},
		{"the whole session, or what is visible", []string{"waterfall-whole"}},
		{"slowest call", []string{"waterfall-slowest"}},
		{"sequence, latency", []string{"time-waterfall-next-tab"}},
		{"back to the table", []string{"time-waterfall-close"}},
	}
}

func sequenceMenu() []line {
	return []line{
		{"read the message", []string{"sequence-open"}},
		{"from request to response", []string{"sequence-partner"}},
		{"latency, waterfall", []string{"time-sequence-next-tab"}},
		{"back to the table", []string{"time-sequence-close"}},
	}
}

func latencyMenu() []line {
	return []line{
		{"filter the table by this line", []string{"latency-filter"}},
		{"go to the slowest exchange", []string{"latency-slowest"}},
		{"how many took how long", []string{"latency-histogram"}},
		{"sort, reverse", []string{"latency-sort", "latency-reverse"}},
		{"waterfall, sequence", []string{"time-latency-next-tab"}},
		{"back to the table", []string{"time-latency-close"}},
	}
}

func overviewMenu() []line {
	return []line{
		{"open the list or the problems", []string{"open"}},
		{"call a tool", []string{"catalog"}},
		{"what is wrong and why", []string{"what-is-wrong"}},
		{"the process and its start", []string{"info"}},
		{"stop the server", []string{"kill"}},
		{"restart the server", []string{"restart"}},
		{"back to the list", []string{"back"}},
		{"every command by name", []string{"palette"}},
	}
}
