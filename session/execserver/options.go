package execserver

import (
	"context"
	"time"

	"mcpdbg/session/execserver/wire"
	"mcpdbg/session/executor"
)

// The default limits.
const (
	startTimeout = 20 * time.Second
	// requestTime limits every request but starts and writes.
	requestTime = 10 * time.Second
	// connectTime limits each attempt to connect and to resume.
	connectTime = 10 * time.Second
	// beatEvery and beatReply are for the sign of life of connections that can ask for one.
	beatEvery = 5 * time.Second
	beatReply = 10 * time.Second
	// guardLease is the lease of a guard whose session ends with its connection.
	guardLease = 30 * time.Second
)

// Options configure an Executor. Dial is required.
type Options struct {
	// Dial connects. The connection must be gone on the side of the server, too, soon after it
	// was closed.
	Dial func(context.Context) (wire.Conn, error)
	// Resumable says that a session can be resumed over another connection.
	Resumable bool
	// Keep is how long a session without a connection is sure to last; 0 means what the server
	// announces, or what Codex does.
	Keep      time.Duration
	Placement string // names the server, for people
	Transport string // names the kind of connection, for people
	// Concurrency is how many requests of a connection the server handles at once, 0 if unknown.
	Concurrency  int
	StartTimeout time.Duration // 0 means 20 s
	ClientName   string
	IDs          *executor.IDs
	Retention    time.Duration
	Journal      executor.JournalOptions
	// Beat is the interval of signs of life; 0 means 5 s.
	Beat time.Duration
}
