// Package status shows how a session is: the parts of the header line, and an entry of
// the list of sessions. All of it comes from the workspace; parts of other screens are
// handed in.
package status
