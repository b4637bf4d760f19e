package traffic

import (
	"fmt"
	"slices"
	"strings"

	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/ui/widget/filter"
	"mcpdbg/ui/workspace"
)

// lossNote returns why a request can no longer get a response, according to the
// log: its process ended, or the request was not written.
func (t *trafficRows) lossNote(number int, request session.Row) string {
	if response, ok := t.ws.Shown.Rows.PartnerOf(request); ok && response.State == session.ReqUnread {
		if response.Flags&session.FlagPart != 0 {
			return "(" + filter.ShownTooLong + ")"
		}
		return "(" + filter.ShownTooDeep + ")"
	}
	if reason := t.unsent(number); reason != "" {
		return "(" + reason + ")"
	}
	ends := t.ws.Shown.Index.Points[workspace.ExitPoint]
	i, _ := slices.BinarySearch(ends, uint32(number))
	for _, at := range []int{i, i - 1} { // a process may have exited while its streams stayed open
		if at < 0 || at >= len(ends) {
			continue
		}
		if row, ok := t.ws.Shown.Rows.At(int(ends[at])); ok && row.Run == request.Run {
			if e, err := t.ws.Shown.Source.Entry(row, 0); err == nil {
				return "(" + ending(&e) + ")"
			}
		}
	}
	return ""
}

// "" if the write did not fail. The log has the failure in one of the next entries.
func (t *trafficRows) unsent(number int) string {
	events := t.ws.Shown.Index.Events
	i, _ := slices.BinarySearch(events, uint32(number))
	for _, at := range events[i:min(i+4, len(events))] {
		row, ok := t.ws.Shown.Rows.At(int(at))
		if !ok || row.Kind != session.KindWrite {
			continue
		}
		var b session.WriteBody
		e, err := t.ws.Shown.Source.Entry(row, 0)
		if err == nil && e.DecodeBody(&b) == nil && b.Of == uint64(number)+1 {
			return "not sent: " + b.Status
		}
	}
	return ""
}

func ending(e *session.Entry) string {
	if e.Kind == session.KindFailed {
		var b session.FailedBody
		switch err := e.DecodeBody(&b); {
		case err == nil && b.Code != "":
			return "link lost"
		case err == nil:
			return wording.FirstLine(b.Error)
		}
	}
	var b session.ExitedBody
	err := e.DecodeBody(&b)
	switch by := executor.ParseEndedBy(b.By); {
	case err == nil && by == executor.EndedByWatchdog:
		return "process ended by the watchdog"
	case err == nil && session.EndedFromOutside(by):
		return "process ended by the guard"
	case err == nil && b.Signal != "":
		return "process ended by " + b.Signal
	case err == nil && b.Code != nil:
		return fmt.Sprintf("process exited %d", *b.Code)
	}
	return strings.TrimSpace("process ended: " + session.Describe(e))
}
