package ui

// The placeholders of empty text fields.
const (
	filterHint = `tool:echo err >100ms text /regexp/ !not or method: id: dir:in kind: n:10-20`
	searchHint = `text or /regexp/`
)
