// Package steer shows what a person holds in the session of a client, and decides about it:
// the pane of held messages, what to hold, and the header's words about the tap.
package steer
