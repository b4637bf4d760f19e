package workspace

import (
	"encoding/json"
	"fmt"
	"slices"

	"mcpdbg/framing"
	"mcpdbg/internal/wording"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

// A PageRun is the pages of a list read so far.
type PageRun struct {
	Items   []*CatalogItem
	Bytes   int // size of the items' JSON
	LeftOut int
	Last    bool   // no page follows
	failure string // why the server returned no list
}

// Take makes the pages in run the list. An incomplete run does not replace a complete
// list.
func (l *CatalogList) Take(run *PageRun) {
	l.Building = run
	if run.failure != "" {
		l.Failure = run.failure
	} else if run.Last {
		l.Failure = ""
	}
	if run.Last || l.Items == nil || !l.Complete {
		l.Items, l.LeftOut, l.Complete = run.Items, run.LeftOut, run.Last
	}
}

// ReadRuns reads the responses in rows, from the latest first page on: it replaces
// earlier lists.
func ReadRuns(source session.Source, member string, rows []uint32, run *PageRun) []*PageRun {
	reader := Rows{Source: source}
	first := make([]bool, len(rows))
	from := 0
	for i := len(rows) - 1; i >= 0; i-- {
		if first[i] = asksFirstPage(&reader, int(rows[i])); first[i] {
			from = i
			break
		}
	}
	var runs []*PageRun
	if run != nil {
		copied := *run
		run = &copied
	}
	for i, number := range rows[from:] {
		if run == nil || first[from+i] {
			run = &PageRun{}
			runs = append(runs, run)
		} else if len(runs) == 0 {
			runs = append(runs, run)
		}
		run.read(&reader, member, int(number))
	}
	return runs
}

// asksFirstPage reports whether a row is the response to a request without a cursor.
func asksFirstPage(reader *Rows, number int) bool {
	row, ok := reader.At(number)
	if !ok || !row.Paired() {
		return true
	}
	request, ok := reader.PartnerOf(row)
	if !ok {
		return true
	}
	e, err := reader.Entry(request, InlineLimit)
	if err != nil || e.Cut {
		return true
	}
	var params struct {
		Cursor *string `json:"cursor"`
	}
	return json.Unmarshal(e.Msg.Params.Of(e.Payload), &params) != nil || params.Cursor == nil
}

func (r *PageRun) read(reader *Rows, member string, number int) {
	r.Last = false
	row, _ := reader.At(number)
	e, err := reader.Entry(row, maxCatalogPage)
	switch {
	case err != nil:
		r.failure = err.Error()
	case e.Cut:
		r.failure = fmt.Sprintf("page too large: %s, at most %s can be read", wording.Size(e.FullSize), wording.Size(maxCatalogPage))
	case e.Msg.Kind == framing.ErrorResponse:
		var failure session.RPCError
		if json.Unmarshal(e.Msg.Error.Of(e.Payload), &failure) != nil {
			r.failure = fmt.Sprintf("malformed error: %.200s", e.Msg.Error.Of(e.Payload))
			return
		}
		r.failure = failure.Error()
	default:
		r.Decode(e.Msg.Result.Of(e.Payload), member)
	}
}

// Decode reads the result of a list request.
func (r *PageRun) Decode(doc []byte, member string) {
	var object map[string]json.RawMessage
	var raw []json.RawMessage
	if err := framing.Unmarshal(doc, &object); err != nil {
		r.failure = "the result is not an object: " + err.Error()
		return
	}
	if _, ok := object[member]; !ok {
		r.failure = fmt.Sprintf("the result has no member %q", member)
		return
	}
	if err := framing.Unmarshal(object[member], &raw); err != nil {
		r.failure = fmt.Sprintf("%s is not an array", member)
		return
	}
	for _, item := range raw {
		if len(r.Items) == maxCatalogItems || r.Bytes+len(item) > maxCatalogBytes {
			r.LeftOut++
			continue
		}
		r.Bytes += len(item)
		r.Items = append(r.Items, newCatalogItem(member, item))
	}
	if r.Items == nil {
		r.Items = []*CatalogItem{}
	}
	var next *string
	r.Last = json.Unmarshal(object["nextCursor"], &next) != nil || next == nil || *next == ""
}

// OutputSchema returns the outputSchema of a tool from the last list of tools before a
// row, nil if there was none since the start of the server, or without that tool. changed
// reports that the server has announced another list between the two. rows are those
// before it that a Catalog needs; reading them takes time.
func OutputSchema(source session.Source, rows []uint32, tool string) (schema json.RawMessage, changed bool) {
	reader := Rows{Source: source}
	var pages []uint32
	for _, number := range slices.Backward(rows) {
		row, ok := reader.At(int(number))
		if !ok || row.Kind == session.KindStart {
			break
		}
		method := source.Method(row.Method)
		changed = changed || len(pages) == 0 && row.Msg == framing.Notification && method == mcp.MethodToolsChanged
		if row.Msg != framing.Response || method != mcp.MethodToolsList {
			continue
		}
		pages = append(pages, number)
		if len(pages) == maxCatalogPages || asksFirstPage(&reader, int(number)) {
			break
		}
	}
	if len(pages) == 0 {
		return nil, false
	}
	slices.Reverse(pages)
	for _, run := range ReadRuns(source, MemberTools, pages, nil) {
		for _, item := range run.Items {
			if item.Key == tool {
				schema = item.Output
			}
		}
	}
	return schema, changed
}
