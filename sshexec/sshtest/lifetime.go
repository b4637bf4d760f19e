//go:build unix && !long

package sshtest

import "time"

// lifetime is how long a server serves its test.
const lifetime = 8 * time.Minute
