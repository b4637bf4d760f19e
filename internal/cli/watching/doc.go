// Package watching restarts the server of a session when files change, and
// re-sends the last requests. It joins the watched files of internal/watch with
// the session; run prints the rounds, and the interface shows them.
package watching
