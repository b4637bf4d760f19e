package formats

import (
	"bufio"
	"context"
	"crypto/sha256"
	_ "embed" // the parts of the page
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/recordings/digest"
	"mcpdbg/session/exchange"
)

const (
	// maxPage is the approximate number of message bytes in a page: browsers are slow to
	// open more.
	maxPage = 32 << 20
	maxRows = 50_000
	// maxContent is the most bytes of one message.
	maxContent = 256 << 10
)

var (
	//go:embed page.html
	pageBody string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageList string
	//go:embed page_detail.js
	pageDetail string
	//go:embed page_waterfall.js
	pageWaterfall string
	//go:embed page_strip.js
	pageStrip string
	//go:embed page_overview.js
	pageOverview string
)

// pageScript joins the parts of the script when a page is written, not when the program
// starts.
func pageScript() string { return pageList + pageDetail + pageWaterfall + pageStrip + pageOverview }

// writeHTML writes a selection as one self-contained page, whose policy forbids loading
// anything. For a large recording, the page has a part of the entries and says so.
func writeHTML(ctx context.Context, to io.Writer, s Selection) error {
	return s.page(ctx, to, maxPage)
}

// page writes the page with about most bytes of messages.
func (s Selection) page(ctx context.Context, to io.Writer, most int) error {
	found := make(chan facts, 1)
	go func() { found <- factsOf(ctx, s.Source) }() // it reads all messages
	w := bufio.NewWriterSize(to, 64<<10)
	before, after, _ := strings.Cut(fmt.Sprintf(pageBody, policy(), pageStyle), "{{data}}")
	_, _ = w.WriteString(before + "{\"rows\":[") // Flush returns errors
	d := digest.Read(ctx, s.Source)
	p, err := s.plan(ctx, most, d)
	if err == nil {
		err = s.pageRows(ctx, w, p)
	}
	f := <-found
	f.addCauses(s.Source, d)
	if err != nil {
		return err
	}
	// json.Marshal escapes <, >, & and the line separators, so that no data ends
	// its element.
	rest, err := json.Marshal(s.pageData(p, f, d))
	if err != nil {
		return fmt.Errorf("facts: %w", err)
	}
	_, _ = fmt.Fprintf(w, "\n],%s%s", rest[1:], strings.Replace(after, "{{script}}", pageScript(), 1))
	s.omits(p.left)
	return w.Flush()
}

// pageData is what the page has besides its rows. The numbers are of the whole recording.
type pageData struct {
	Facts      facts            `json:"facts"`
	Tools      []pageTool       `json:"tools"`
	Slower     []digest.Slowing `json:"slower"`
	Failures   []pageFailure    `json:"failures"`
	First      int              `json:"first"`  // number of the group of the first failure, from 1
	FirstN     uint64           `json:"firstn"` // and its entry
	Unanswered int              `json:"unanswered"`
	Lost       []digest.Call    `json:"lost,omitempty"` // the first of them
	Why        []string         `json:"why,omitempty"`  // of those
	Stray      uint64           `json:"stray"`
	Left       int              `json:"left"`              // entries that are not on the page
	Omitted    string           `json:"omitted,omitempty"` // about them
	End        int64            `json:"end"`               // of the recording, microseconds
}

// pageTool is a tool with its times over the session.
type pageTool struct {
	digest.Line
	Medians []int64 `json:"medians,omitempty"`
}

const maxMedians = 40

// pageFailure is the failures with one message, as in [digest.Failure].
type pageFailure struct {
	Message  string   `json:"message"`
	Count    int      `json:"count"`
	Evidence []string `json:"evidence,omitempty"`
}

func (s Selection) pageData(p *pagePlan, f facts, d *digest.Digest) pageData {
	out := pageData{
		Facts: f, Tools: []pageTool{}, Slower: append([]digest.Slowing{}, d.Slower...), Failures: []pageFailure{}, Unanswered: len(d.Unanswered) + d.MoreUnanswered, Lost: d.Unanswered, Why: d.WhyUnanswered, Stray: s.Source.Stats().Stray,
		Left: p.left, Omitted: p.omitted(), End: p.end,
	}
	if n, first := d.Failures.First(); n > 0 {
		out.First, out.FirstN = n, first.N
	}
	for _, l := range d.Lines {
		if l.Tool != "" {
			out.Tools = append(out.Tools, pageTool{l, l.Medians(maxMedians)})
		}
	}
	for _, g := range d.Failures.Groups {
		out.Failures = append(out.Failures, pageFailure{wording.Visible(g.Message), g.Count, g.Evidence})
	}
	if d.Failures.More > 0 {
		out.Failures = append(out.Failures, pageFailure{"further messages", d.Failures.More, nil})
	}
	return out
}

// The page may use only its own script and style.
func policy() string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src " + hash(pageScript()) + "; style-src " + hash(pageStyle) + "; base-uri 'none'; form-action 'none'"
}

// pageRows writes the rows of a plan, and counts those that it has to omit.
func (s Selection) pageRows(ctx context.Context, w *bufio.Writer, p *pagePlan) error {
	size, times, first := 0, exchange.NewTable(s.Source), true
	planned := Selection{Source: s.Source, Include: p.includes(&size)}
	for it, err := range planned.items(ctx, maxContent) {
		if err != nil {
			return err
		}
		text, err := json.Marshal(s.pageRow(times, p, it))
		if err != nil {
			return fmt.Errorf("entry %d: %w", it.entry.N, err)
		}
		if !first {
			_ = w.WriteByte(',')
		}
		first, size = false, size+len(text)
		_ = w.WriteByte('\n')
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return nil
}
