package report

import (
	"crypto/sha256"
	_ "embed" // the parts of the page
	"encoding/base64"
	"io"
	"slices"
	"strconv"
	"strings"

	"mcpdbg/internal/verify"
	"mcpdbg/internal/wording"
	"mcpdbg/ui/widget/termsafe"
)

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// The texts of a page are safe for a terminal; write escapes them.
type page struct {
	Title   string
	OK      bool
	Facts   [][2]string
	Causes  []pageCause
	Legend  []string // phases, in order
	Targets []pageTarget
}

type pageCause struct {
	Cause string
	Count int
}

type pageTarget struct {
	Verdict  string
	Class    string // of the row: the status, as a name of CSS
	Index    int
	Host     string
	Server   string
	Cause    string
	Phase    string
	MS       float64
	Took     string
	Text     string // the one-line description
	Bars     []pageBar
	Facts    [][2]string
	Hint     []string
	Evidence []string
}

// A pageBar is a phase in the bar of its target, in percent of the slowest
// target.
type pageBar struct {
	Phase, Took string
	From, Width string
}

// HTML writes a self-contained page. It loads nothing and is not allowed to; its script
// only sorts and filters.
func HTML(w io.Writer, r *verify.Report) error {
	_, err := io.WriteString(w, newPage(r).markup())
	return err
}

func newPage(r *verify.Report) *page {
	counts := r.Tally()
	p := &page{
		OK:    r.OK,
		Title: passed(&counts, wording.Plural(len(r.Targets), "target")),
	}
	p.Facts = knownFacts([][2]string{
		{"started", r.Started.UTC().Format("2006-01-02 15:04:05 UTC")}, {"took", duration(r.DurationMS)}, {"scenario", r.Scenario},
		{"compared with", r.Baseline}, {"checked", r.Checked}, {"tool", r.Tool}, {"seed", strconv.FormatUint(r.Seed, 10)},
	})
	for _, cause := range causes {
		n := 0
		for i := range r.Targets {
			if r.Targets[i].Cause == cause {
				n++
			}
		}
		if n > 0 {
			p.Causes = append(p.Causes, pageCause{string(cause), n})
		}
	}
	slowest := 1.0
	for i := range r.Targets {
		slowest = max(slowest, total(&r.Targets[i]))
	}
	for _, i := range failuresFirst(r.Targets) {
		p.Targets = append(p.Targets, newPageTarget(i, &r.Targets[i], slowest))
	}
	for _, phase := range phases {
		if slices.ContainsFunc(p.Targets, func(t pageTarget) bool {
			return slices.ContainsFunc(t.Bars, func(b pageBar) bool { return b.Phase == phase })
		}) {
			p.Legend = append(p.Legend, phase)
		}
	}
	return p
}

func newPageTarget(index int, r *verify.Result, slowest float64) pageTarget {
	t := pageTarget{
		Verdict: status(r), Class: strings.Replace(status(r), verify.VerdictDoubtful, "unsure", 1), Index: index, Host: termsafe.Line(r.Where()), Server: termsafe.Line(r.Server), Cause: termsafe.Line(string(r.Cause)), Phase: termsafe.Line(string(r.Phase)),
		MS: r.DurationMS, Took: duration(r.DurationMS), Text: OneLine(r), Hint: termsafe.Lines(r.Hint), Evidence: evidence(r),
	}
	if !r.OK {
		t.Text = termsafe.Line(r.Message)
	}
	from := 0.0
	for _, phase := range phases {
		ms := r.Took(phase)
		if ms == nil {
			continue
		}
		t.Bars = append(t.Bars, pageBar{phase, duration(*ms), percent(from / slowest), percent(*ms / slowest)})
		from += *ms
	}
	attempts := ""
	if n := len(r.Attempts); n > 0 {
		attempts = strconv.Itoa(n + 1)
	}
	server := r.First()
	t.Facts = knownFacts([][2]string{
		{"code", r.Code}, {"exit", r.Exit}, {"server", server.String()}, {"protocol", server.Protocol}, {"offers", offers(r)},
		{"waited", waited(r)}, {"attempts", attempts}, {"recording", r.Recording()}, {"debug", r.Debug},
	})
	return t
}

// knownFacts returns the facts that have a value, which is made safe.
func knownFacts(all [][2]string) [][2]string {
	known := all[:0]
	for _, fact := range all {
		if fact[1] != "" {
			known = append(known, [2]string{fact[0], termsafe.Line(fact[1])})
		}
	}
	return known
}

func total(r *verify.Result) (sum float64) {
	for _, phase := range phases {
		if ms := r.Took(phase); ms != nil {
			sum += *ms
		}
	}
	return sum
}

func percent(part float64) string { return strconv.FormatFloat(100*part, 'f', 2, 64) + "%" }

// The policy allows the page its own script and style and nothing else.
func policy() string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src " + hash(pageScript) + "; style-src " + hash(pageStyle) + "; base-uri 'none'; form-action 'none'"
}
