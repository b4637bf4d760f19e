// Package server shows a server: its name, protocol, start and capabilities in the
// overview; its tools, resources, templates and prompts in the catalog; its state in the
// header line and in the list of sessions; and the level of its log messages.
//
// Everything is derived from the log, so a recording has an overview and a catalog, too.
// The items of the catalog are read on demand from the responses in the log; a list that
// is missing or out of date is requested. The overview is shown while no row is
// selected, and in a tab of the catalog. The header has parts of other screens, which
// the shell hands in.
package server
