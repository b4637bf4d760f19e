package report

import (
	"fmt"
	"strings"
)

// The markers of the generated part of a page.
const (
	begin = "<!-- bench: go run ./internal/bench --write -->\n"
	end   = "<!-- end of bench -->"
)

// Insert returns a page with the text between its markers replaced.
func Insert(page, text string) (string, error) {
	head, rest, found := strings.Cut(page, begin)
	if !found {
		return "", fmt.Errorf("the page lacks the line %q", strings.TrimSpace(begin))
	}
	_, tail, found := strings.Cut(rest, end)
	if !found {
		return "", fmt.Errorf("the page lacks the line %q", end)
	}
	return head + begin + text + end + tail, nil
}
