package workspace

import (
	"time"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

const (
	// maxCatalogPage is how many bytes of one list response are read.
	maxCatalogPage = 16 << 20
	// maxCatalogItems is how many items of one list are kept. Further ones are
	// only counted.
	maxCatalogItems = 20_000
	// maxCatalogBytes is the limit for the JSON of all items of a list, in bytes.
	maxCatalogBytes = 32 << 20
	// maxCatalogPages is how many unread responses are kept for one list; beyond
	// that only the later half is read, and a list that began in the dropped half
	// is incomplete.
	maxCatalogPages = 10_000
	// CatalogPause is the minimum time between two automatic requests for a list of a
	// server that was restarted.
	CatalogPause = time.Second
	// catalogQuiet is how long a server must not report a change of a list before that
	// is requested again.
	catalogQuiet = time.Second
	// ChangePause is the minimum time between two such requests: a server may report a
	// change with every response.
	ChangePause = 5 * time.Second
)

// A Catalog is what a server offers: tools, prompts, resources and templates. It
// is read from the responses in the log, whatever caused the requests, so a
// recording has one too.
type Catalog struct {
	Lists   []*CatalogList
	Methods []MethodMeaning // by the log's method number
	taken   int             // rows used so far
}

// A CatalogList is one kind of item that a server offers.
type CatalogList struct {
	mcp.List
	Items     []*CatalogItem
	LeftOut   int  // items beyond maxCatalogItems and maxCatalogBytes
	Complete  bool // Items is the whole list
	Stale     bool // the server may have changed the list; Why has the reason
	Why       string
	ChangedAt time.Time // when the server last reported a change; zero if it is stale for another reason

	Building *PageRun  // the pages of a list that is not complete yet
	Unread   []uint32  // rows of responses to read
	Reading  bool      // a command is reading some of them
	Answered bool      // the last request was answered; its response may be missing in the log
	Loading  bool      // a request is in flight
	Began    time.Time // of the last request from here; zero if there was none
	Timer    time.Time // when a timer for an automatic request fires
	Failure  string    // why the last list failed
}

// A MethodMeaning is how a method in the log relates to the catalog: the number
// of a list, counted from 1; negative for a notification that this list has
// changed.
type MethodMeaning int8

// meansNothing is the meaning of a method that does not concern the catalog;
// meansUnknown marks one that has not been looked up yet.
const meansNothing, meansUnknown MethodMeaning = 0, -100

// newCatalog returns an empty catalog with one entry for each list of the
// protocol.
func newCatalog() *Catalog {
	c := &Catalog{}
	for _, list := range mcp.Lists {
		c.Lists = append(c.Lists, &CatalogList{List: list})
	}
	return c
}

// List returns the list with the given name, as the command line spells it.
func (c *Catalog) List(name string) *CatalogList {
	for _, l := range c.Lists {
		if l.Name == name {
			return l
		}
	}
	return nil
}

// wants reports whether the catalog needs a row.
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

// Pull reads the new rows among wanted, the rows that the catalog needs.
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

// meaning returns the meaning of a method, which it looks up once.
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

// Again reports whether a stale list is to be requested again without being asked for, and
// when: after a change only a list that was requested from here.
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

// Find returns the item with the given key: the name of a tool or a prompt, the
// URI of a resource or a template.
func (l *CatalogList) Find(key string) *CatalogItem {
	for _, item := range l.Items {
		if item.Key == key {
			return item
		}
	}
	return nil
}
