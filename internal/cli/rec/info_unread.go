package rec

import "mcpdbg/session"

// UnreadInfo is a stdout line too long or nested too deep to be read.
type UnreadInfo struct {
	N   uint64 `json:"n"`            // entry by which it was known, or its last
	Of  uint64 `json:"of,omitempty"` // entry of its request, if known
	Why string `json:"why"`
}

const maxUnread = 100

// A longLine is a stdout line in parts.
type longLine struct {
	known bool  // it is a response to a request
	limit int64 // size of its first part; 0 between lines
}

// A line is listed once it is known, or at its end.
func (l *longLine) add(info *Info, src session.Source, number int, row session.Row) {
	isPart := row.Kind == session.KindStdout && row.Flags&session.FlagPart != 0
	if !isPart && row.State != session.ReqUnread {
		return
	}
	limit := 1
	if isPart && l.limit == 0 {
		limit = 0 // the size of all of it
	}
	e, err := src.Entry(row, limit)
	if err != nil {
		return // it is counted elsewhere
	}
	if isPart && l.limit == 0 {
		l.limit = e.FullSize
	}
	if why, ok := session.Unread(src, number); ok {
		request, _ := row.Partner()
		l.known = true
		info.listUnread(UnreadInfo{N: e.N, Of: entryOf(src, request), Why: why.Error()})
	}
	if !isPart || e.More {
		return
	}
	if !l.known {
		why := &session.UnreadError{Limit: l.limit}
		info.listUnread(UnreadInfo{N: e.N, Why: why.Unattributed()})
	}
	*l = longLine{}
}

// listUnread only counts a line after many.
func (info *Info) listUnread(u UnreadInfo) {
	if len(info.Unread) == maxUnread {
		info.moreUnread++
		return
	}
	info.Unread = append(info.Unread, u)
}

// 0 if the row can't be read
func entryOf(src session.Source, number int) uint64 {
	row, _ := session.RowAt(src, number)
	e, err := src.Entry(row, 1)
	if err != nil {
		return 0
	}
	return e.N
}
