// Package control is the room between a live tap and the programs that watch, restart and
// steer it: JSON lines over a Unix socket that only its user can open.
//
// The tap writes a greeting with the version of the lines. The other side answers with an
// order: tell, restart and stop get one reply, and watch makes it a viewer. A viewer gets the
// whole state after each change, sends orders, gets a reply to each, and sends a beat every
// second. One viewer at a time steers. When it is gone, or without a beat for 5 seconds,
// everything that it holds is let go in order.
//
// A Server is the end of the tap, which waits for no viewer: one that is slow gets the
// latest state when it reads again. A Viewer is the other end.
package control
