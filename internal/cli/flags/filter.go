package flags

import (
	"errors"
	"strings"

	"mcpdbg/internal/cli/console"
	"mcpdbg/internal/wording"
	"mcpdbg/ui/widget/filter"
)

// Filter parses the filter of a flag or argument. The error is wrong usage, with the right
// filter as its hint, if that is known. The settings decide from which time calls are slow.
func Filter(name, text string) (*filter.Filter, error) {
	f, err := filter.Parse(text)
	syntax, ok := errors.AsType[*filter.SyntaxError](err)
	if !ok {
		if !f.NamesSlow() {
			return f, err
		}
		settings, err := ReadSettings()
		return f.SlowFrom(settings.Slow.Microseconds()), err
	}
	try := syntax.Try
	if try != "" {
		try = name + " " + wording.Quote(try)
	}
	syntax.Try = ""
	return nil, console.WithHint(console.Usagef("%s: %v", strings.TrimPrefix(name, "mcpdbg "), syntax), try)
}
