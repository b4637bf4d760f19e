package help

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/sahilm/fuzzy"

	"mcpdbg/ui/kit"
)

// The best first.
const (
	exact = iota // its title or its id
	synonym
	beginning // of a word of its title, or of a synonym
	letters   // in order in its title
	somewhere // in its help, its id or a synonym
	noMatch
)

// minHelp is how many characters must be typed before help texts are searched too.
const minHelp = 3

type match struct {
	kit.Pick
	rank, order int // order among those of a rank
	disabled    bool
}

// The best first: commands whose name or synonym begins with the query before all others,
// and among both what is possible now. Commands with a word are found only by a query
// with that word.
func (v *Palette) find(query string) []kit.Pick {
	query = strings.ToLower(strings.Join(strings.Fields(query), " "))
	if query == "" {
		picks := make([]kit.Pick, v.plain)
		for i := range picks {
			picks[i].Item = i
		}
		return picks
	}
	matches := v.withWord(query)
	matches = append(matches, v.named(query)...)
	sort.SliceStable(matches, func(i, j int) bool {
		a, b := matches[i], matches[j]
		weak := func(m match) int { return min(m.rank/letters, 1) }
		return cmp.Or(cmp.Compare(weak(a), weak(b)), compareBools(a.disabled, b.disabled), cmp.Compare(a.rank, b.rank), cmp.Compare(a.order, b.order)) < 0
	})
	strong, weak := []kit.Pick(nil), []kit.Pick(nil)
	for _, m := range matches {
		if m.rank < letters {
			strong = append(strong, m.Pick)
		} else {
			weak = append(weak, m.Pick)
		}
	}
	return slices.Concat(strong, v.helps(query, len(matches) == 0), weak)
}

// helps returns the words that a query names, with their filters, and the help of other
// parts of the screen if nothing else was found.
func (v *Palette) helps(query string, all bool) (picks []kit.Pick) {
	for i := v.worded; i < v.words; i++ {
		if v.commands[i].rank(query) <= beginning {
			picks = append(picks, kit.Pick{Item: i})
		}
	}
	if len(picks) > 0 || !all || len(query) < minHelp {
		return picks
	}
	for i := v.words; i < len(v.commands); i++ {
		if strings.Contains(strings.ToLower(v.commands[i].Help), query) {
			picks = append(picks, kit.Pick{Item: i})
		}
	}
	return picks
}

// named returns the commands without a word that match a query by their names.
func (v *Palette) named(query string) []match {
	titles := make([]string, v.plain)
	for i := range titles {
		titles[i] = v.commands[i].Title
	}
	matches := make([]match, v.plain)
	for i := range matches {
		c := &v.commands[i]
		matches[i] = match{Pick: kit.Pick{Item: i}, rank: c.rank(query), order: i, disabled: c.Disabled != ""}
	}
	for order, m := range fuzzy.Find(query, titles) {
		found := &matches[m.Index]
		found.Hits = m.MatchedIndexes
		if found.rank >= letters {
			found.rank, found.order = letters, order
		}
	}
	return slices.DeleteFunc(matches, func(m match) bool { return m.rank == noMatch })
}

// The end of the query is the beginning of the word, and the rest that of the command's
// name.
func (v *Palette) withWord(query string) []match {
	at := strings.LastIndexByte(query, ' ')
	if at < 0 {
		return nil
	}
	var matches []match
	for i := v.plain; i < v.worded; i++ {
		c := &v.commands[i]
		if rank := c.rank(query[:at]); strings.HasPrefix(c.word, query[at+1:]) && rank <= beginning {
			matches = append(matches, match{Pick: kit.Pick{Item: i}, rank: rank, order: i - len(v.commands), disabled: c.Disabled != ""})
		}
	}
	return matches
}

// rank returns how well a command without its word matches a query. Letters in order
// are not looked for.
func (c *command) rank(query string) int {
	title := strings.ToLower(c.Title)
	switch {
	case title == query || c.ID == query:
		return exact
	case slices.Contains(c.Synonyms, query):
		return synonym
	case strings.HasPrefix(title, query) || strings.Contains(title, " "+query),
		slices.ContainsFunc(c.Synonyms, func(s string) bool { return strings.HasPrefix(s, query) }):
		return beginning
	case len(query) >= minHelp && strings.Contains(strings.ToLower(c.ID+" "+c.Help+" "+strings.Join(c.Synonyms, " ")), query):
		return somewhere
	}
	return noMatch
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
