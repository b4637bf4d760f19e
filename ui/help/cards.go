package help

// "{id}" in the text is replaced by the key of an action.
type line struct {
	text string
	ids  []string
}

// cardLines returns the lines of the card for a scope, the most important first;
// nil for a scope whose card is made from the priorities of its actions.
func cardLines(scope string) []line {
	switch scope {
	case "traffic":
		return trafficCard()
	case "detail":
		return detailCard()
	case "stderr", "events":
		return stripCard()
	case "sessions":
		return sessionsCard()
	case "catalog":
		return catalogCard()
	case "time-waterfall":
		return waterfallCard()
	case "time-sequence":
		return sequenceCard()
	case "time-latency":
		return latencyCard()
	case "overview":
		return overviewCard()
	}
	return nil
}

func trafficCard() []line {
	return []line{
		{"call a tool", []string{"catalog"}},
		{"filter: tool:echo err >100ms", []string{"filter"}},
		{"read the result", []string{"open"}},
		{"find text, {next-match} next", []string{"search"}},
		{"unfold, fold", []string{"unfold", "fold-flood"}},
		{"next error, next slow", []string{"next-error", "next-slow"}},
		{"send again, edit first", []string{"resend", "edit-resend"}},
		{"cancel this call", []string{"cancel"}},
		{"what is wrong and why", []string{"what-is-wrong"}},
		{"stop the server", []string{"kill"}},
		{"copy", []string{"copy-menu"}},
		{"time: waterfall, latency", []string{"time"}},
		{"one row per message, or all", []string{"timeline"}},
		{"open another server", []string{"open-session"}},
		{"every command by name", []string{"palette"}},
	}
}

func detailCard() []line {
	return []line{
		{"content, tree, text, bytes, ...", []string{"view"}},
		{"find text, {next-match} next", []string{"search"}},
		{"unfold a value, read a link", []string{"open"}},
		{"unfold all, fold all", []string{"expand-all", "collapse-all"}},
		{"request next to response", []string{"view-pair"}},
		{"request or response", []string{"other-side"}},
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

func stripCard() []line {
	return []line{
		{"read the line full size", []string{"open"}},
		{"find text, {next-match} next", []string{"search"}},
		{"follow new lines, or stop", []string{"follow"}},
		{"what is wrong and why", []string{"what-is-wrong"}},
		{"first, last line", []string{"top", "bottom"}},
		{"the process and its start", []string{"info"}},
		{"full screen", []string{"zoom"}},
		{"taller, shorter", []string{"higher", "lower"}},
		{"copy", []string{"copy-menu"}},
		{"stop the server", []string{"kill"}},
		{"back to the traffic", []string{"traffic"}},
		{"every command by name", []string{"palette"}},
	}
}

func sessionsCard() []line {
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

func catalogCard() []line {
	return []line{
		{"fill in the arguments and call", []string{"catalog-open"}},
		{"next tab, previous tab", []string{"catalog-next-list", "catalog-previous-list"}},
		{"description, schemas, JSON", []string{"catalog-side"}},
		{"scroll the item", []string{"catalog-side-down", "catalog-side-up"}},
		{"request the list again", []string{"catalog-reload"}},
		{"subscribe to changes", []string{"catalog-subscribe"}},
		{"clear the search, then close", []string{"catalog-close"}},
	}
}

func waterfallCard() []line {
	return []line{
		{"go to the exchange", []string{"waterfall-select"}},
		{"zoom at the cursor", []string{"waterfall-zoom-in", "waterfall-zoom-out"}},
		{"earlier, later", []string{"waterfall-left", "waterfall-right"}},
		{"the whole session, or what is visible", []string{"waterfall-whole"}},
		{"sequence of messages", []string{"time-waterfall-show-sequence"}},
		{"latency of methods and tools", []string{"time-waterfall-show-latency"}},
		{"back to the table", []string{"time-waterfall-close"}},
	}
}

func sequenceCard() []line {
	return []line{
		{"read the message", []string{"sequence-open"}},
		{"from request to response", []string{"sequence-partner"}},
		{"waterfall of the exchanges", []string{"time-sequence-show-waterfall"}},
		{"latency of methods and tools", []string{"time-sequence-show-latency"}},
		{"back to the table", []string{"time-sequence-close"}},
	}
}

func latencyCard() []line {
	return []line{
		{"filter the table by this line", []string{"latency-filter"}},
		{"go to the slowest exchange", []string{"latency-slowest"}},
		{"how many took how long", []string{"latency-histogram"}},
		{"sort, reverse", []string{"latency-sort", "latency-reverse"}},
		{"waterfall of the exchanges", []string{"time-latency-show-waterfall"}},
		{"sequence of messages", []string{"time-latency-show-sequence"}},
		{"back to the table", []string{"time-latency-close"}},
	}
}

func overviewCard() []line {
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
