package detail

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/session/summary"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/widget/paint"
	"mcpdbg/ui/widget/termsafe"
	"mcpdbg/ui/workspace"
)

type heading struct {
	name      string // the called tool, prompt or resource, or else the method
	arguments string
	size      string
	id        string
	seqs      string // the sequence numbers of request and response
}

// headingOf reads the beginning of the message's partner.
func headingOf(source session.Source, s workspace.Selection, e *session.Entry) heading {
	var h heading
	if e.Kind.IsStream() {
		if h.size = wording.Size(e.FullSize); e.FullSize < 1<<10 {
			h.size += " B"
		}
	}
	method := source.Method(s.Row.Method)
	kind, request, response := s.Row.Msg, e, (*session.Entry)(nil)
	rows := workspace.Rows{Source: source}
	if row, ok := rows.PartnerOf(s.Row); ok {
		at, _ := s.Row.Partner()
		asks := kind == framing.Request || kind == framing.Batch && at > s.Number
		if partner, err := source.Entry(row, summary.Limit); err == nil && asks {
			response = &partner
		} else if err == nil {
			kind, request, response = row.Msg, &partner, e
		}
	}
	first := firstOf(source, s)
	if first != nil {
		request, method = first, source.Method(s.First.Method) // a task is polled by another one
	}
	h.seqs = seqsOf(request, response)
	whole := e
	if e.Cut || first != nil { // the request has the id too, and is shorter
		whole = request
	}
	if id := whole.Msg.ID.Of(whole.Payload); id != nil && !whole.Cut {
		h.id = "id " + summary.ID(string(id))
	}
	switch {
	case kind == framing.Batch:
		h.name = "batch"
	case method != "":
		h.name = method
	case s.Row.Msg == framing.NotJSON && e.Kind == session.KindStdout:
		h.name = "noise on stdout"
	case e.Kind.IsStream() && e.Kind != session.KindStderr:
		h.name = s.Row.Msg.String()
	default:
		h.name = filter.EventSource(s.Row.Kind)
	}
	if kind == framing.Request || kind == framing.Notification {
		text := request.Payload[:min(len(request.Payload), summary.Limit)]
		h.name = cmp.Or(summary.Call(method, text), h.name)
		h.arguments = summary.Request(method, text)
	}
	return h
}

// firstOf returns the request that begins an exchange of several rounds, if all of
// it is shown. Without a sequence number, as of what we send, it gets that of its
// response.
func firstOf(source session.Source, s workspace.Selection) *session.Entry {
	if s.First == nil {
		return nil
	}
	e, err := source.Entry(*s.First, summary.Limit)
	if err != nil {
		return nil
	}
	rows := workspace.Rows{Source: source}
	if row, ok := rows.PartnerOf(*s.First); ok && e.Seq == 0 {
		if response, err := source.Entry(row, 1); err == nil {
			e.Seq = response.Seq
		}
	}
	return &e
}

// seqsOf returns the sequence numbers of a request and its response, of which one may
// be missing.
func seqsOf(request, response *session.Entry) string {
	switch {
	case response == nil && request.Seq == 0:
		return ""
	case response == nil:
		return seqText(request)
	case request.Seq == 0 || request == response:
		return seqText(response)
	}
	return seqText(request) + " -> " + strconv.FormatUint(response.Seq, 10)
}

func seqText(e *session.Entry) string { return "seq " + strconv.FormatUint(e.Seq, 10) }

// Titles returns the texts in the upper border: what the row is, and the views.
func (d *Pane) Titles() (left, right string) {
	var text [128]byte
	names := text[:0]
	for v := range viewCount {
		switch name := viewNames[v]; {
		case !d.wanted.OK || !d.applies(v, d.wanted.Row):
		case v == d.view:
			names = append(append(append(names, " ["...), name...), ']')
		case d.w >= leastForViews:
			names = append(append(names, ' '), name...)
		}
	}
	right = string(bytes.TrimSpace(names))
	if d.entry == nil {
		return "3 Detail", right
	}
	took, why := d.latency(), d.entry.Why
	if d.wanted.Row.Msg == framing.Request {
		took = "request"
	}
	if why == framing.ProblemNotJSON.String() {
		why = ""
	}
	return d.about(len(right), took, d.head.size, d.head.id, why, d.head.seqs, d.element(), d.shownPart()), right
}

// about returns the name of the row, its arguments, and the facts that there is room for.
func (d *Pane) about(right int, facts ...string) string {
	const around = 10 // rules, spaces
	room := d.w - around - right - termsafe.Width(d.head.name)
	dot := paint.Glyph(d.look, " · ", ", ")
	kept := facts[:0]
	for _, fact := range facts {
		if more := termsafe.Width(fact) + len(" · ") - 1; fact != "" && more <= room {
			kept = append(kept, fact)
			room -= more
		}
	}
	var text [256]byte
	title := append(append(text[:0], "3 "...), d.head.name...)
	if room > leastArguments && d.head.arguments != "" {
		title = append(append(title, ' '), termsafe.Truncate(d.head.arguments, room, d.look.Ellipsis)...)
	}
	for _, fact := range kept {
		title = append(append(title, dot...), fact...)
	}
	return string(title)
}

// leastForViews is the width of a pane from which its title names all views.
const leastForViews = 70

// leastArguments is the width from which arguments are shown in the title.
const leastArguments = 8

func (d *Pane) element() string {
	x := d.ws.Shown.Index.Exchanges
	e, ok := d.ws.Shown.Source.Element(d.wanted.Number)
	b, is := x.Batch(e.Row)
	if !ok || e.Index < 0 || !is {
		return ""
	}
	return fmt.Sprintf("element %d of %d", e.Index+1, b.Elements)
}

func (d *Pane) shownPart() string {
	shown := int64(len(d.entry.Payload))
	switch {
	case d.content != nil: // says so itself
	case shown < d.entry.FullSize:
		return fmt.Sprintf("the first %s of %s", wording.Size(shown), wording.Size(d.entry.FullSize))
	case d.plain && shown > maxText:
		return fmt.Sprintf("the first %s of %s", wording.Size(maxText), wording.Size(shown))
	}
	return ""
}

// latency returns the response time of a request, as text; it applies to the
// request and to its response.
func (d *Pane) latency() string {
	row := d.wanted.Row
	partner, ok := d.ws.Shown.Rows.PartnerOf(row)
	if d.wanted.First != nil {
		partner = *d.wanted.First
	}
	if !ok || !d.wanted.OK {
		return ""
	}
	number, whole := d.wanted.Number, exchange.Span{From: min(row.T, partner.T), To: max(row.T, partner.T)}
	if at, _ := row.Partner(); at < number {
		number, row = at, partner
	}
	took, waited := d.ws.Times(number, whole).Answering(row.Kind)
	text := wording.Took(took)
	if exchange.Noticed(waited) {
		text += " + you " + wording.Took(waited)
	}
	return text
}
