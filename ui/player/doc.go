// Package player shows a recording as it was at a moment: it plays, steps and jumps to
// times and points, and paints the player line with its bar. While the workspace's
// Playback has a moment, the whole screen shows the projection of that moment.
package player
