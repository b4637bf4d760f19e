package ui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcpdbg/framing"
	"mcpdbg/session"
)

// A pageRun is the pages of one list, as far as they were read.
type pageRun struct {
	items   []*catalogItem
	bytes   int // of JSON
	leftOut int
	last    bool   // no page follows
	failure string // the server did not give the list
}

// readCatalog has the answers in the log read that are not yet. It is done
// only when somebody wants to know.
func (a *App) readCatalog(l *catalogList) tea.Cmd {
	if l.reading || len(l.unread) == 0 {
		return nil
	}
	rows, source, run := l.unread, a.source, l.building
	l.unread, l.reading = nil, true
	return func() tea.Msg {
		runs := readRuns(source, l.Member, rows, run)
		return result{then: func(a *App) tea.Cmd {
			l.reading = false
			for _, run := range runs {
				l.take(run)
			}
			a.stale = true
			return a.keepCatalog()
		}}
	}
}

// take makes a run of pages the list. One that is not whole yet is shown only
// if there is nothing better.
func (l *catalogList) take(run *pageRun) {
	l.building = run
	if run.failure != "" {
		l.failure = run.failure
	} else if run.last {
		l.failure = ""
	}
	if run.last || l.items == nil || !l.complete {
		l.items, l.leftOut, l.complete = run.items, run.leftOut, run.last
	}
}

// readRuns reads answers. Those of a list that another one follows are passed
// over: they begin with the latest one to a request for the first page.
func readRuns(source session.Source, member string, rows []uint32, run *pageRun) []*pageRun {
	reader := rowReader{source: source}
	first := make([]bool, len(rows))
	from := 0
	for i := len(rows) - 1; i >= 0; i-- {
		if first[i] = asksFirstPage(&reader, int(rows[i])); first[i] {
			from = i
			break
		}
	}
	var runs []*pageRun
	if run != nil {
		copied := *run
		run = &copied
	}
	for i, number := range rows[from:] {
		if run == nil || first[from+i] {
			run = &pageRun{}
			runs = append(runs, run)
		} else if len(runs) == 0 {
			runs = append(runs, run)
		}
		run.read(&reader, member, int(number))
	}
	return runs
}

// asksFirstPage tells whether a row answers a request without a cursor.
func asksFirstPage(reader *rowReader, number int) bool {
	row, ok := reader.at(number)
	if !ok || row.Pair == 0 {
		return true
	}
	request, ok := reader.at(int(row.Pair) - 1)
	if !ok {
		return true
	}
	e, err := reader.source.Entry(request, loadInline)
	if err != nil || e.Cut {
		return true
	}
	var params struct {
		Cursor *string `json:"cursor"`
	}
	return json.Unmarshal(e.Msg.Params.Of(e.Payload), &params) != nil || params.Cursor == nil
}

// read reads one page.
func (r *pageRun) read(reader *rowReader, member string, number int) {
	r.last = false
	row, _ := reader.at(number)
	e, err := reader.source.Entry(row, maxCatalogPage)
	switch {
	case err != nil:
		r.failure = err.Error()
	case e.Cut:
		r.failure = fmt.Sprintf("one page has %s; what is read here are %s", size(e.FullSize), size(maxCatalogPage))
	case e.Msg.Kind == framing.ErrorResponse:
		var failure session.RPCError
		if json.Unmarshal(e.Msg.Error.Of(e.Payload), &failure) != nil {
			r.failure = fmt.Sprintf("malformed error: %.200s", e.Msg.Error.Of(e.Payload))
			return
		}
		r.failure = failure.Error()
	default:
		r.decode(e.Msg.Result.Of(e.Payload), member)
	}
}

// decode takes the result of a list request.
func (r *pageRun) decode(doc []byte, member string) {
	var object map[string]json.RawMessage
	var raw []json.RawMessage
	if err := json.Unmarshal(doc, &object); err != nil {
		r.failure = "the result is no object: " + err.Error()
		return
	}
	if _, ok := object[member]; !ok {
		r.failure = fmt.Sprintf("the result has no member %q", member)
		return
	}
	if err := json.Unmarshal(object[member], &raw); err != nil {
		r.failure = fmt.Sprintf("%s is no array", member)
		return
	}
	for _, item := range raw {
		if len(r.items) == maxCatalogItems || r.bytes+len(item) > maxCatalogBytes {
			r.leftOut++
			continue
		}
		r.bytes += len(item)
		r.items = append(r.items, newCatalogItem(member, item))
	}
	if r.items == nil {
		r.items = []*catalogItem{}
	}
	var next *string
	r.last = json.Unmarshal(object["nextCursor"], &next) != nil || next == nil || *next == ""
}

// loadCatalog asks the server for a list, all pages.
func (a *App) loadCatalog(l *catalogList) tea.Cmd {
	if l.loading {
		return nil
	}
	l.loading, l.stale, l.answered, l.began = true, false, false, time.Now()
	s, ctx := a.session, a.ctx
	return func() tea.Msg {
		_, err := s.ListAll(ctx, l.List)
		return result{then: func(a *App) tea.Cmd {
			l.loading, l.answered = false, err == nil
			var said *session.RPCError
			if err != nil && !errors.Is(err, context.Canceled) && !errors.As(err, &said) {
				l.failure = err.Error() // what the server itself says is in the log
			}
			return tea.Batch(a.refresh(), a.keepCatalog())
		}}
	}
}

// keepCatalog brings the list up to date that is looked at: it reads what is
// in the log, and asks the server again if it has to.
func (a *App) keepCatalog() tea.Cmd {
	var cmds []tea.Cmd
	for _, o := range a.overlays {
		if view, ok := o.overlay.(*catalogView); ok && o.subject == a.subject {
			view.hold(a)
			cmds = append(cmds, a.keepList(view.list(a)))
		}
	}
	return tea.Batch(cmds...)
}

func (a *App) keepList(l *catalogList) tea.Cmd {
	cmd := a.readCatalog(l)
	if l.answered && !l.busy() && !l.known() && a.index.scanned == a.source.Len() {
		l.failure = "no row of the log is an answer that can be read here, such as one in a batch"
	}
	if ready, _ := canSend(a); !ready || l.busy() || (l.known() || l.answered) && !l.stale {
		return cmd
	}
	if a.status.State != session.Ready && a.status.State != session.Running {
		return cmd
	}
	if !l.known() && !a.offers(l) {
		return cmd
	}
	if wait := catalogPause - time.Since(l.began); wait > 0 {
		return tea.Batch(cmd, a.later(wait, result{then: (*App).keepCatalog}))
	}
	return tea.Batch(cmd, a.loadCatalog(l))
}

// offers tells whether the server has declared that it has such a list.
func (a *App) offers(l *catalogList) bool { return a.status.Server.Offers(l.List) }
