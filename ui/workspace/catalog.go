package workspace

import (
	"time"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

const (
	// maxCatalogPage is how many bytes of a list response are read.
	maxCatalogPage = 16 << 20
	// maxCatalogItems is how many items of a list are kept. Further ones are only
	// counted.
	maxCatalogItems = 20_000
	// maxCatalogBytes limits the JSON of all items of a list.
	maxCatalogBytes = 32 << 20
	// maxCatalogPages is how many unread responses are kept for a list; beyond that only
	// the later half is read, and a list that began in the dropped half is incomplete.
	maxCatalogPages = 10_000
	// CatalogPause is the minimum time between two automatic requests for a list of a
	// restarted server.
	CatalogPause = time.Second
	// catalogQuiet is how long a server must not report a change of a list before the
	// next request.
	catalogQuiet = time.Second
	// ChangePause is the minimum time between two such requests: a server may report a
	// change with every response.
	ChangePause = 5 * time.Second
)

// A Catalog is what a server offers: tools, prompts, resources and templates, read from
// the responses in the log, whatever caused them, also of a recording.
type Catalog struct {
	Lists   []*CatalogList
	Methods []MethodMeaning // by the log's method number
	taken   int
}

// A CatalogList is one kind of offered item.
type CatalogList struct {
	mcp.List
	Items     []*CatalogItem
	LeftOut   int  // items beyond maxCatalogItems and maxCatalogBytes
	Complete  bool // Items is the whole list
	Stale     bool // may have changed; Why has the reason
	Why       string
	ChangedAt time.Time // last reported by the server; zero if stale for another reason

	Building *PageRun  // the pages of an incomplete list
	Unread   []uint32  // rows of responses to read
	Reading  bool      // a command reads some of them
	Answered bool      // the last request has a response, which may be missing in the log
	Loading  bool      // a request is in flight
	Began    time.Time // of the last request from here, or zero
	Timer    time.Time // when a timer for an automatic request fires
	Failure  string    // why the last list failed
}

// A MethodMeaning relates a method in the log to the catalog: the number of a list, from
// 1; negative for a notification that it has changed.
type MethodMeaning int8

// meansNothing is of a method that does not concern the catalog; meansUnknown of one not
// looked up yet.
const meansNothing, meansUnknown MethodMeaning = 0, -100

func newCatalog() *Catalog {
	c := &Catalog{}
	for _, list := range mcp.Lists {
		c.Lists = append(c.Lists, &CatalogList{List: list})
	}
	return c
}

// List returns a list by its name on the command line.
func (c *Catalog) List(name string) *CatalogList {
	for _, l := range c.Lists {
		if l.Name == name {
			return l
		}
	}
	return nil
}

// Tool returns the tool with a name, nil if the server has not listed it.
func (c *Catalog) Tool(name string) *CatalogItem {
	for _, item := range c.List("tools").Items {
		if item.Name == name {
			return item
		}
	}
	return nil
}

func (c *Catalog) wants(source session.Source, row *session.Row) bool {
	switch {
	case row.Kind == session.KindStart:
		return true
	case row.Kind != session.KindStdout || row.Method == 0:
		return false
	case row.Msg == framing.Notification:
		return c.meaning(source, row.Method) < 0
	}
	return (row.Msg == framing.Response || row.Msg == framing.ErrorResponse) && c.meaning(source, row.Method) > 0
}

// Pull reads the new rows among wanted, which the catalog needs.
func (c *Catalog) Pull(source session.Source, rows *Rows, wanted []uint32) {
	for _, number := range wanted[c.taken:] {
		if row, ok := rows.At(int(number)); ok {
			c.Notice(source, number, &row)
		}
	}
	c.taken = len(wanted)
}

// Notice updates the catalog with a new row of the log.
func (c *Catalog) Notice(source session.Source, number uint32, row *session.Row) {
	switch {
	case row.Kind == session.KindStart:
		for _, l := range c.Lists {
			l.outdate("the server was restarted", time.Time{})
		}
	case row.Kind != session.KindStdout || row.Method == 0:
	case row.Msg == framing.Notification:
		if of := c.meaning(source, row.Method); of < 0 {
			c.Lists[-of-1].outdate("the server reports a change", time.Now())
			if c.Lists[-of-1].Name == "resources" {
				c.List("templates").outdate("the server reports a change", time.Now())
			}
		}
	case row.Msg == framing.Response, row.Msg == framing.ErrorResponse:
		if of := c.meaning(source, row.Method); of > 0 {
			l := c.Lists[of-1]
			if len(l.Unread) == maxCatalogPages {
				l.Unread = append(l.Unread[:0], l.Unread[maxCatalogPages/2:]...)
			}
			l.Unread = append(l.Unread, number)
		}
	}
}

// meaning looks up the meaning of a method once.
func (c *Catalog) meaning(source session.Source, method uint16) MethodMeaning {
	for int(method) >= len(c.Methods) {
		c.Methods = append(c.Methods, meansUnknown)
	}
	if c.Methods[method] != meansUnknown {
		return c.Methods[method]
	}
	name, means := source.Method(method), meansNothing
	for i, l := range c.Lists {
		if name == l.Method {
			means = MethodMeaning(i + 1)
		}
		if name == l.Changed && means == meansNothing { // that of the templates is that of the resources
			means = -MethodMeaning(i + 1)
		}
	}
	c.Methods[method] = means
	return means
}

// outdate marks a list as possibly out of date. changed is when the server reported a
// change; that of a process whose list was not read so far changes nothing.
func (l *CatalogList) outdate(why string, changed time.Time) {
	restarted := l.Stale && l.ChangedAt.IsZero()
	if restarted && !changed.IsZero() || l.Items == nil && l.Failure == "" && !l.Loading {
		return
	}
	l.Stale, l.Why, l.ChangedAt = true, why, changed
}

// Again reports whether and when a stale list is to be requested automatically: after a
// change only one that was requested from here.
func (l *CatalogList) Again() (due time.Time, ok bool) {
	if !l.Stale || l.ChangedAt.IsZero() {
		return l.Began.Add(CatalogPause), l.Stale
	}
	due = l.ChangedAt.Add(catalogQuiet)
	if earliest := l.Began.Add(ChangePause); earliest.After(due) {
		due = earliest
	}
	return due, !l.Began.IsZero()
}

// Busy reports whether more of the list is to come.
func (l *CatalogList) Busy() bool { return l.Loading || l.Reading || len(l.Unread) > 0 }

// Known reports whether the log has anything about the list.
func (l *CatalogList) Known() bool { return l.Items != nil || l.Failure != "" }

// Find returns the item with a key: the name of a tool or a prompt, the URI of a resource
// or a template.
func (l *CatalogList) Find(key string) *CatalogItem {
	for _, item := range l.Items {
		if item.Key == key {
			return item
		}
	}
	return nil
}
