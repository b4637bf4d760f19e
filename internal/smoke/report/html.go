package report

import (
	"crypto/sha256"
	_ "embed" // the parts of the page
	"encoding/base64"
	"io"
	"slices"
	"strconv"
	"strings"

	"mcpdbg/internal/smoke"
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
func HTML(w io.Writer, r *smoke.Report) error {
	_, err := io.WriteString(w, newPage(r).markup())
	return err
}

func newPage(r *smoke.Report) *page {
	counts := r.Counts()
	p := &page{
		OK:    r.OK,
		Title: passed(&counts, wording.Plural(len(r.Targets), "target")),
	}
	add := func(name, value string) {
		if value != "" {
			p.Facts = append(p.Facts, [2]string{name, termsafe.Line(value)})
		}
	}
	add("started", r.Started.UTC().Format("2006-01-02 15:04:05 UTC"))
	add("took", duration(r.DurationMS))
	add("scenario", r.Scenario)
	add("compared with", r.Baseline)
	add("checked", r.Checked)
	add("tool", r.Tool)
	add("seed", strconv.FormatUint(r.Seed, 10))
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
		slowest = max(slowest, total(&r.Targets[i].Timings))
	}
	for i := range r.Targets {
		p.Targets = append(p.Targets, newPageTarget(i, &r.Targets[i], slowest))
	}
	for _, phase := range ownTimings(&smoke.Timings{}) {
		if slices.ContainsFunc(p.Targets, func(t pageTarget) bool {
			return slices.ContainsFunc(t.Bars, func(b pageBar) bool { return b.Phase == phase.Name })
		}) {
			p.Legend = append(p.Legend, phase.Name)
		}
	}
	return p
}

func newPageTarget(index int, r *smoke.Result, slowest float64) pageTarget {
	t := pageTarget{
		Verdict: status(r), Class: strings.Replace(status(r), smoke.Doubtful, "unsure", 1), Index: index, Host: termsafe.Line(r.Host), Server: termsafe.Line(r.Server), Cause: termsafe.Line(string(r.Cause)), Phase: termsafe.Line(string(r.Phase)),
		MS: r.OwnMS(), Took: duration(r.OwnMS()), Text: lineText(r), Hint: termsafe.Lines(r.Hint), Evidence: evidence(r),
	}
	if !r.OK {
		t.Text = termsafe.Line(r.Message)
	}
	from := 0.0
	for _, phase := range ownTimings(&r.Timings) {
		if phase.MS == nil {
			continue
		}
		t.Bars = append(t.Bars, pageBar{phase.Name, duration(*phase.MS), percent(from / slowest), percent(*phase.MS / slowest)})
		from += *phase.MS
	}
	add := func(name, value string) {
		if value != "" {
			t.Facts = append(t.Facts, [2]string{name, termsafe.Line(value)})
		}
	}
	add("code", r.Code)
	add("exit", r.Exit)
	if r.ServerInfo != nil {
		add("server", r.ServerInfo.Name+" "+r.ServerInfo.Version)
	}
	add("protocol", r.Protocol)
	add("offers", offers(r))
	add("waited", waited(r))
	if r.Attempts > 0 {
		add("attempts", strconv.Itoa(r.Attempts))
	}
	add("recording", r.Recording)
	return t
}

func total(t *smoke.Timings) (ms float64) {
	for _, phase := range ownTimings(t) {
		if phase.MS != nil {
			ms += *phase.MS
		}
	}
	return ms
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
