// Package status says in words and marks how a session is: the parts of the
// header line, and an entry of the list of sessions. All of it comes from the
// workspace; parts that belong to another screen are handed in.
package status
