package ui

import (
	"time"

	"mcpdbg/framing"
	"mcpdbg/session"
	"mcpdbg/session/mcp"
)

const (
	// maxCatalogPage is how much of one answer to a list request is read.
	maxCatalogPage = 16 << 20
	// maxCatalogItems is how many items of one list are kept. What is beyond
	// is counted.
	maxCatalogItems = 20_000
	// maxCatalogBytes is how much JSON they may be together.
	maxCatalogBytes = 32 << 20
	// maxCatalogPages is how many answers of one list wait to be read; of more
	// the latest half is read, and if a list began before, it is not whole.
	maxCatalogPages = 10_000
	// catalogPause is how long at least there is between two lists that nobody
	// asked for: a server may say with every answer that the list has changed.
	catalogPause = time.Second
)

// A catalog is what a server offers: tools, prompts, resources, templates. It
// is read from the answers in the log, whoever asked for them, so a recording
// has one too.
type catalog struct {
	lists   []*catalogList
	methods []methodMeaning // by the number of a method in the log
	taken   int             // of the rows it is made of
}

// A catalogList is one kind of what a server offers.
type catalogList struct {
	mcp.List
	items    []*catalogItem
	leftOut  int  // items beyond maxCatalogItems and maxCatalogBytes
	complete bool // items are a whole list
	stale    bool // the server may have another list by now, and why
	why      string

	building *pageRun // the pages of a list that is not whole yet
	unread   []uint32 // rows with answers to be read
	reading  bool     // a command reads some
	answered bool     // the last request was; its answer may be in no row
	loading  bool     // a request is under way
	began    time.Time
	failure  string // what went wrong with the last list
}

// A methodMeaning is what a method in the log has to do with the catalog: the
// number of a list, from 1 on, negative if the server says that it has changed.
type methodMeaning int8

const meansNothing, meansUnknown methodMeaning = 0, -100

// listChanged are the notifications about each list.
var listChanged = map[string]string{
	"notifications/tools/list_changed":     "tools",
	"notifications/resources/list_changed": "resources",
	"notifications/prompts/list_changed":   "prompts",
}

func newCatalog() *catalog {
	c := &catalog{}
	for _, list := range mcp.Lists {
		c.lists = append(c.lists, &catalogList{List: list})
	}
	return c
}

// list returns the list with a name, as the command line spells it.
func (c *catalog) list(name string) *catalogList {
	for _, l := range c.lists {
		if l.Name == name {
			return l
		}
	}
	return nil
}

// wants tells whether the catalog is made of rows such as this one.
func (c *catalog) wants(source session.Source, row *session.Row) bool {
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

// pull takes rows that are new, of those that it wants.
func (c *catalog) pull(source session.Source, rows *rowReader, wanted []uint32) {
	for _, number := range wanted[c.taken:] {
		if row, ok := rows.at(int(number)); ok {
			c.notice(source, number, &row)
		}
	}
	c.taken = len(wanted)
}

// notice takes a new row of the log.
func (c *catalog) notice(source session.Source, number uint32, row *session.Row) {
	switch {
	case row.Kind == session.KindStart:
		for _, l := range c.lists {
			l.outdate("the server was started anew")
		}
	case row.Kind != session.KindStdout || row.Method == 0:
	case row.Msg == framing.Notification:
		if of := c.meaning(source, row.Method); of < 0 {
			c.lists[-of-1].outdate("the server says that it has changed")
			if c.lists[-of-1].Name == "resources" {
				c.list("templates").outdate("the server says that it has changed")
			}
		}
	case row.Msg == framing.Response, row.Msg == framing.ErrorResponse:
		if of := c.meaning(source, row.Method); of > 0 {
			l := c.lists[of-1]
			if len(l.unread) == maxCatalogPages {
				l.unread = append(l.unread[:0], l.unread[maxCatalogPages/2:]...)
			}
			l.unread = append(l.unread, number)
		}
	}
}

// meaning looks a method up, once for each.
func (c *catalog) meaning(source session.Source, method uint16) methodMeaning {
	for int(method) >= len(c.methods) {
		c.methods = append(c.methods, meansUnknown)
	}
	if c.methods[method] != meansUnknown {
		return c.methods[method]
	}
	name, means := source.Method(method), meansNothing
	for i, l := range c.lists {
		if name == l.Method {
			means = methodMeaning(i + 1)
		}
		if listChanged[name] == l.Name {
			means = -methodMeaning(i + 1)
		}
	}
	c.methods[method] = means
	return means
}

// outdate marks what is known as possibly not so any more.
func (l *catalogList) outdate(why string) {
	if l.items != nil || l.failure != "" || l.loading {
		l.stale, l.why = true, why
	}
}

// busy tells whether there is more to come.
func (l *catalogList) busy() bool { return l.loading || l.reading || len(l.unread) > 0 }

// known tells whether anything was ever heard of the list.
func (l *catalogList) known() bool { return l.items != nil || l.failure != "" }

// find returns the item with a key: the name of a tool or a prompt, the URI of
// a resource or a template.
func (l *catalogList) find(key string) *catalogItem {
	for _, item := range l.items {
		if item.key == key {
			return item
		}
	}
	return nil
}
