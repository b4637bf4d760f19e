package link

import "time"

// How long tests wait for what has to happen, and how often they look.
const (
	eventually = 20 * time.Second
	tick       = 2 * time.Millisecond
)
