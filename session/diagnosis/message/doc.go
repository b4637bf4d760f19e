// Package message has what the groups of rules share: one message of a log with
// its place and revision, the request that a response belongs to, how a
// problem is reported, and readers of raw JSON. Package rule reads the log and passes
// every message to the groups; they know no log.
package message
