// Package catalog shows the tools, resources, templates and prompts of a server: a list
// with a search, and next to it the item under the cursor. An item can be used, a
// resource read or subscribed to.
//
// The items are read on demand from the responses in the log, so a recording has a
// catalog too; a list that is missing or out of date is requested.
package catalog
