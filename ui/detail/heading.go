package detail

import (
	"fmt"
	"strconv"
	"strings"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/exchange"
	"mcpdbg/session/summary"
	"mcpdbg/ui/kit"
	"mcpdbg/ui/workspace"
)

type heading struct {
	name      string // id and method, and what is called
	short     string // the same without a method that this implies
	arguments string
	size      string
	seqs      string // the sequence numbers of request and response
}

// headingOf reads the beginning of the message's partner.
func headingOf(source session.Source, s workspace.Selection, e *session.Entry) heading {
	var h heading
	if e.Kind.IsStream() {
		h.size = wording.Size(e.FullSize)
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
	words := make([]string, 0, 3)
	called := ""
	whole := e
	if e.Cut || first != nil { // the request has the id too, and is shorter
		whole = request
	}
	if id := whole.Msg.ID.Of(whole.Payload); id != nil && !whole.Cut {
		words = append(words, summary.ID(string(id)))
	}
	ids := len(words)
	switch {
	case kind == framing.Batch:
		words = append(words, "batch")
	case method != "":
		words = append(words, method)
	case e.Kind.IsStream() && e.Kind != session.KindStderr:
		words = append(words, "("+s.Row.Msg.String()+")")
	default:
		words = append(words, s.Row.Kind.String())
	}
	if kind == framing.Request || kind == framing.Notification {
		text := request.Payload[:min(len(request.Payload), summary.Limit)]
		if called = summary.Call(method, text); called != "" {
			words = append(words, called)
		}
		h.arguments = summary.Request(method, text)
	}
	h.name = strings.Join(words, " ")
	if h.short = h.name; called != "" {
		h.short = strings.Join(append(words[:ids:ids], called), " ")
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

// Titles returns the texts in the upper border.
func (d *Pane) Titles() (left, right string) {
	left = "3 Detail"
	if d.h < tabsHeight {
		right = viewNames[d.view]
	}
	if d.entry == nil {
		return left, right
	}
	const most = 6
	words := append(make([]string, 0, most), left)
	if row := d.wanted.Row; d.h < tabsHeight || !row.Kind.IsStream() || row.Kind == session.KindStderr {
		if !row.Kind.IsStream() || row.Kind == session.KindStderr {
			words = append(words, row.Kind.String())
		} else {
			words = append(words, kit.Direction(row.Kind), d.head.name)
		}
		if !row.Kind.IsStream() {
			return strings.Join(words, " "), right
		}
	} else {
		words = append(words, row.Msg.String())
	}
	if why := d.entry.Why; why != "" && why != framing.ProblemNotJSON.String() {
		words = append(words, why)
	}
	if d.head.seqs != "" {
		words = append(words, " "+d.head.seqs)
	}
	words = append(words, d.element()...)
	return strings.Join(append(words, d.shownPart()...), " "), right
}

func (d *Pane) element() []string {
	x := d.ws.Shown.Index.Exchanges
	e, ok := d.ws.Shown.Source.Element(d.wanted.Number)
	b, is := x.Batch(e.Row)
	if !ok || e.Index < 0 || !is {
		return nil
	}
	return []string{fmt.Sprintf(" element %d of %d", e.Index+1, b.Elements)}
}

func (d *Pane) shownPart() []string {
	shown := int64(len(d.entry.Payload))
	switch {
	case d.content != nil: // says so itself
		return nil
	case shown < d.entry.FullSize:
		return []string{fmt.Sprintf(" the first %s of %s", wording.Size(shown), wording.Size(d.entry.FullSize))}
	case d.plain && shown > maxText:
		return []string{fmt.Sprintf(" the first %s of %s", wording.Size(maxText), wording.Size(shown))}
	}
	return nil
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
		text += ", you " + wording.Took(waited)
	}
	return text
}
