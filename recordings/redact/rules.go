package redact

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"regexp/syntax"
	"slices"
	"sort"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/session/secret"
)

const (
	// A shorter value occurs everywhere.
	shortestValue = 4
	// Patterns from the one of number sharedPattern on share a bit.
	maxPatterns   = 128
	sharedPattern = 57
	// They limit the comparisons for every member.
	maxPointers = 256
	maxKeys     = 1024
)

// Rules selects what to remove. The zero value removes nothing; see Default.
type Rules struct {
	// Values are texts that are removed everywhere, also inside longer texts, such
	// as the values of environment variables. They are case-sensitive and need at
	// least 4 bytes.
	Values []Value
	// Keys are names whose values are removed: members of objects, name=value, and
	// arguments --name VALUE. Case is ignored, and api_key also matches api-key,
	// apiKey and apikey; * matches any characters, and in a name with *, _ and - are
	// interchangeable but required. In an object or array each leaf is removed. An object under
	// "properties" is the schema of an argument, not its value: only its default,
	// const, enum and examples are removed. true, false and null stay.
	Keys []string
	// Pointers are JSON pointers (RFC 6901) into messages, such as
	// /params/arguments/path, where * matches any member or element.
	// "tools/call:/result" applies only to messages of that method, in which *
	// matches any characters. Everything below is removed; true becomes false. null
	// stays, and so do the members that identify a message: jsonrpc, method, and
	// isError of a result.
	Pointers []string
	// Patterns are searched for in all texts.
	Patterns []Pattern
	// Home replaces home directories, such as /home/ada, with ~.
	Home bool
	// Words are keys that are also ordinary words, such as "pass": a value that
	// clearly has the other meaning stays (a count of tests, a directory, an
	// authorization scheme). A word that is also in Keys is treated as a key.
	Words []string
	// Suffixes are ends of names, after _ or -. The value of such a name is removed in an
	// assignment to a NAME in capitals, and elsewhere if it looks random: see
	// keySet.suffix. A suffix that is also in Keys, as *_SUFFIX, is treated as a key.
	Suffixes []string
	// Recorded removes the values given to the recorder, of which the recording has
	// digests. They are found as a whole string, and in a text where no letter,
	// digit or _ touches them.
	Recorded bool
	// DigestKey is the key of this machine for the digests of Recorded; nil if it has
	// none. Files of other machines have digests of other keys.
	DigestKey *secret.Key
	// Identity removes the names of users and hosts that the recording or Names
	// contains.
	Identity bool
	// Names are further names for Identity.
	Names []string

	given *secret.Digests // of the recording
}

// A Value is a secret and its name in reports.
type Value struct{ Name, Text string }

// Default returns rules that need no knowledge of the session.
func Default() Rules {
	return Rules{Keys: defaultKeys(), Words: defaultWords(), Suffixes: defaultSuffixes(), Patterns: defaultPatterns(), Recorded: true}
}

// A RuleError reports an invalid rule. It contains no secrets.
type RuleError struct {
	Rule string
	Why  string
}

func (e *RuleError) Error() string { return e.Rule + ": " + e.Why }

// The bits of the rules that are not patterns.
const (
	ruleKeys    rules = 1 << iota // may contain a name of Rules.Keys
	ruleValues                    // may contain a value
	ruleEscapes                   // contains escapes, which may hide anything
	ruleHome
	ruleNames
	ruleGiven    // may contain a value given to the recorder
	rulePatterns // and the bits above
)

type literal struct {
	rule string
	text []byte
	word bool // only as a whole word
	from rules
}

// compiled may be used by several goroutines.
type compiled struct {
	scanner  *scanner
	literals []literal
	keys     keySet
	pointers []pointer
	names    []string // of the patterns
	patterns []*regexp.Regexp
	given    *secret.Digests
	lengths  []int // of the given values
	aws      bool  // awsPattern is among them
	idsHit   bool  // ids are removed
	progress bool
}

// The errors are *RuleError.
func compile(r Rules) (*compiled, error) {
	c := &compiled{}
	anchors := []anchor{{`\u`, ruleEscapes}, {`\/`, ruleEscapes}}
	always := rules(0)
	for _, v := range r.Values {
		if len(v.Text) < shortestValue {
			return nil, &RuleError{v.Name, fmt.Sprintf("value too short: %d bytes, the minimum is %d", len(v.Text), shortestValue)}
		}
		c.addValue(v)
	}
	for _, name := range r.Names {
		c.literals = append(c.literals, literal{rule: "identity", text: []byte(name), word: true, from: ruleNames})
	}
	sort.SliceStable(c.literals, func(i, j int) bool {
		a, b := &c.literals[i], &c.literals[j]
		return len(b.text)-len(a.text) < 0
	})
	for _, l := range c.literals {
		if run := plainRun(string(l.text)); len(run) >= shortestAnchor {
			anchors = append(anchors, anchor{run, l.from})
		} else {
			always |= l.from
		}
	}
	if err := c.addKeys(r.Keys, r.Words, r.Suffixes); err != nil {
		return nil, err
	}
	if lengths := r.given.Lengths(); len(lengths) > 0 {
		c.given, c.lengths = r.given, lengths
		always |= ruleGiven
	}
	for _, text := range c.keys.anchors {
		anchors = append(anchors, anchor{text, ruleKeys})
	}
	if len(c.keys.globs) > 0 && slices.Contains(c.keys.globs, "*") {
		always |= ruleKeys
	}
	if r.Home {
		anchors = append(anchors, anchor{"/home/", ruleHome}, anchor{"/users/", ruleHome}, anchor{`\users\`, ruleHome}, anchor{`users\`, ruleHome})
	}
	more, bits, err := c.addPatterns(r.Patterns)
	if err != nil {
		return nil, err
	}
	if err := c.addPointers(r.Pointers); err != nil {
		return nil, err
	}
	c.scanner = newScanner(append(anchors, more...), always|bits)
	return c, nil
}

// addValue adds a value and its encoded forms.
func (c *compiled) addValue(v Value) {
	forms := []string{v.Text, url.QueryEscape(v.Text), url.PathEscape(v.Text)}
	if quoted, err := json.Marshal(v.Text); err == nil {
		forms = append(forms, string(quoted[1:len(quoted)-1]))
	}
	for line := range strings.Lines(v.Text) {
		// Streams come in lines. The frame of a key is not a secret.
		if line = strings.TrimSpace(line); len(line) >= 2*shortestValue && !strings.HasPrefix(line, "-----") {
			forms = append(forms, line)
		}
	}
	slices.Sort(forms)
	for _, form := range slices.Compact(forms) {
		c.literals = append(c.literals, literal{rule: v.Name, text: []byte(form), from: ruleValues})
	}
}

func (c *compiled) addPatterns(patterns []Pattern) (anchors []anchor, always rules, err error) {
	if len(patterns) > maxPatterns {
		return nil, 0, &RuleError{"patterns", fmt.Sprintf("too many: %d, the limit is %d", len(patterns), maxPatterns)}
	}
	for i, p := range patterns {
		re, err := regexp.Compile(p.Expr)
		if err != nil {
			return nil, 0, &RuleError{p.Name, err.Error()}
		}
		if re.Match(nil) {
			return nil, 0, &RuleError{p.Name, "it matches the empty string"}
		}
		c.names, c.patterns = append(c.names, p.Name), append(c.patterns, re)
		c.aws = c.aws || p.Name == awsPattern
		texts, bit := p.Anchors, patternBit(i)
		if texts == nil {
			tree, err := syntax.Parse(p.Expr, syntax.Perl)
			if err == nil {
				texts = anchorsOf(tree.Simplify())
			}
		}
		if texts == nil {
			always |= bit
		}
		for _, text := range texts {
			anchors = append(anchors, anchor{text, bit})
		}
	}
	return anchors, always, nil
}

func patternBit(i int) rules { return rulePatterns << min(i, sharedPattern) }

// A keySet matches the names of members whose values are secrets.
type keySet struct {
	exact   map[string]string // original name by squeezed name
	words   map[string]bool   // keys of exact that are also ordinary words
	globs   []string          // in lower case, with _ for -
	weak    map[string]bool   // keys of Rules.Suffixes, such as *_key
	anchors []string
}

func (c *compiled) addKeys(keys, words, suffixes []string) error {
	if len(keys)+len(words)+len(suffixes) > maxKeys {
		return &RuleError{"keys", fmt.Sprintf("too many: %d, the limit is %d", len(keys), maxKeys)}
	}
	c.keys.addSuffixes(suffixes, keys)
	c.keys.exact, c.keys.words = map[string]string{}, map[string]bool{}
	for _, word := range words {
		c.keys.words[word] = !slices.Contains(keys, word)
	}
	for _, key := range slices.Concat(words, keys) {
		name := strings.ReplaceAll(lower(camel().ReplaceAllString(key, "${1}_${2}")), "-", "_")
		switch {
		case strings.Trim(name, "*_") == "" && name != "*":
			return &RuleError{"key " + key, "it has no letters"}
		case strings.ContainsAny(name, `[?\`):
			return &RuleError{"key " + key, "only * is a wildcard"}
		case strings.Contains(name, "*"):
			c.keys.globs = append(c.keys.globs, name)
			c.keys.anchors = append(c.keys.anchors, globAnchors(name)...)
		default:
			c.keys.exact[squeeze(name)] = key
			c.keys.anchors = append(c.keys.anchors, nameAnchors(name)...)
		}
	}
	c.idsHit = c.keys.has("id") != "" || c.keys.has("requestId") != ""
	c.progress = c.keys.has("progressToken") != ""
	return nil
}

var camel = expression(`([a-z0-9])([A-Z])`)

func squeeze(name string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(lower(name))
}

// nameAnchors returns the spellings of a name as a member, in name=value and name: value,
// and as an argument.
func nameAnchors(name string) (anchors []string) {
	words := strings.Split(name, "_")
	forms := []string{words[0]}
	for i, word := range words[1:] {
		if i == 3 {
			break // enough to be rare
		}
		var longer []string
		for _, form := range forms {
			longer = append(longer, form+word, form+"_"+word, form+"-"+word)
		}
		forms = longer
	}
	for _, form := range forms {
		anchors = append(anchors, `"`+form, `'`+form, "-"+form, form+"=", form+":", form+" ")
	}
	return anchors
}

// globAnchors returns the longest piece of a name between its stars.
func globAnchors(name string) []string {
	best := ""
	for piece := range strings.SplitSeq(name, "*") {
		if piece = strings.Trim(piece, "_"); len(piece) > len(best) {
			best = piece
		}
	}
	if best == "" {
		return nil
	}
	return []string{best, strings.ReplaceAll(best, "_", "-")}
}

// has returns the key, in its original form, that the name of a member matches, or "".
func (k *keySet) has(name string) string {
	if len(name) == 0 || len(name) > longestName {
		return ""
	}
	if key, ok := k.exact[squeeze(name)]; ok {
		return key
	}
	plain := strings.ReplaceAll(lower(name), "-", "_")
	for _, glob := range k.globs {
		if ok, _ := path.Match(glob, strings.ReplaceAll(plain, "/", "_")); ok {
			return glob
		}
	}
	return k.suffix(plain)
}

type pointer struct {
	text   string
	method string   // "" or a pattern
	parts  []string // "*" is any
}

func (c *compiled) addPointers(texts []string) error {
	if len(texts) > maxPointers {
		return &RuleError{"pointers", fmt.Sprintf("too many: %d, the limit is %d", len(texts), maxPointers)}
	}
	for _, text := range texts {
		method, at, ok := strings.Cut(text, ":")
		if !ok || strings.HasPrefix(text, "/") {
			method, at = "", text
		}
		if !strings.HasPrefix(at, "/") {
			return &RuleError{"pointer " + text, "a JSON pointer starts with /, for example tools/call:/params/arguments/path"}
		}
		p := pointer{text: text, method: method}
		for part := range strings.SplitSeq(at[1:], "/") {
			p.parts = append(p.parts, wording.UnescapePointer(part))
		}
		c.pointers = append(c.pointers, p)
		c.idsHit = c.idsHit || slices.ContainsFunc(idPlaces, p.reaches)
		c.progress = c.progress || slices.ContainsFunc(progressPlaces, p.reaches)
	}
	return nil
}

// If one id or progress token is removed, all are, because they pair messages.
var (
	idPlaces       = [][]string{{"id"}, {"params", "requestId"}}
	progressPlaces = [][]string{{"params", "_meta", "progressToken"}, {"params", "progressToken"}}
)

// Pointers do not apply to the members that identify a message.
var envelope = [][]string{{"jsonrpc"}, {"method"}, {"result", "isError"}}

// reaches reports whether a place is at the pointer or below it.
func (p pointer) reaches(place []string) bool {
	if len(p.parts) > len(place) {
		return false
	}
	for i, part := range p.parts {
		if part != "*" && part != place[i] {
			return false
		}
	}
	return true
}

func (p pointer) applies(method string) bool {
	if p.method == "" {
		return true
	}
	ok := p.method == method
	if !ok && strings.Contains(p.method, "*") {
		// * also matches slashes: methods are not paths.
		ok, _ = path.Match(strings.ReplaceAll(p.method, "/", "\x00"), strings.ReplaceAll(method, "/", "\x00"))
	}
	return ok
}

func (r Rules) ruleNames() (names []string) {
	for _, v := range r.Values {
		names = append(names, v.Name)
	}
	for _, p := range r.Patterns {
		names = append(names, p.Name)
	}
	if r.given != nil {
		for _, v := range r.given.Digests[:min(len(r.given.Digests), secret.MaxDigests)] {
			names = append(names, givenRule(v.Name))
		}
	}
	return append(names, "keys", "pointers", "home", "identity")
}
