package wire

import "time"

// CodexVersion is the release of Codex that this package was tried with. Another one may
// differ: its protocol is experimental.
const CodexVersion = "0.169.0"

// What Codex does, by trial.
const (
	// CodexDetached is how long it is sure to keep a session without a connection. It has no
	// fixed limit: 55 to 103 s were measured.
	CodexDetached = 30 * time.Second
	// CodexRetained is how many bytes of output it retains of a process. It evicts without a mark.
	CodexRetained = 1 << 20
	// CodexConcurrency is how many requests of a connection it handles at once by default: a
	// request that waits holds those behind it.
	CodexConcurrency = 1
	// CodexUnanswered is how many writes may wait for their response, below the 130 or so that it
	// queues before it responds to none.
	CodexUnanswered = 64
	// CodexChunk is the largest chunk of output that it sends.
	CodexChunk = 8 << 10
	// CodexSignalBase is added to the number of the signal that has ended a process: its exit code
	// equals that of a program that exits with the sum.
	CodexSignalBase = 128
)
