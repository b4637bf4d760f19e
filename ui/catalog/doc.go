// Package catalog shows the tools, resources, templates and prompts of a server: a
// list with a search, and next to it the item under the cursor with its description,
// its schemas or its JSON. An item can be used, a resource read or subscribed to.
//
// The items are read from the responses in the log, so a recording has a catalog
// too: read.go reads them on demand, and requests a list that is missing or out of
// date. tabs.go has the tabs, the last of which shows the server, line.go a line of a
// list.
package catalog
