package lifecycle

import (
	"hash/maphash"
	"slices"
)

// Limits on the state for one process. Beyond them the rules that need the state are
// silent about what did not fit.
const (
	maxTokens        = 1 << 14 // progress tokens in use; CAN, PRG
	maxEndedTokens   = 1 << 12 // progress tokens no longer in use; older ones count as unknown to us
	maxURIs          = 1 << 12 // subscribed resources, and tasks
	maxSubscriptions = 1 << 10
	maxCursors       = 1 << 14 // of one walk through a list, and of the whole log
	maxRounds        = 1 << 10 // results that ask for input, the oldest are forgotten
	maxKeys          = 64      // input requests of one result
	maxAsked         = 1 << 12 // requests of the server that wait for a response
	maxElicitations  = 1 << 10
	maxTasks         = 1 << 12
	maxTaskTools     = 1 << 12
)

// Limited reports whether a limit was reached, so that not everything was checked.
func (c *Checker) Limited() bool {
	return c.resources.full || c.progress[0].full || c.progress[1].full || c.subscriptions.full || c.rounds.full || c.urls.full ||
		c.logging.full || len(c.asked) >= maxAsked || len(c.tasks.all) >= maxTasks || len(c.past.cursors) >= maxCursors
}

var seed = maphash.MakeSeed()

// hash identifies a text that need not be kept.
func hash(text []byte) uint64 { return maphash.Bytes(seed, text) }

// Past is what the earlier processes of a log showed. The zero value is empty.
type Past struct {
	argv     []string
	versions map[string]bool // asked for in initialize, and accepted
	cursors  map[uint64]bool // that any process issued
	gap      bool            // some may be missing
}

// Start notes that a process starts. argv is nil if the command is that of the log.
// What another command did says nothing about it.
func (p *Past) Start(argv []string) {
	if !slices.Equal(p.argv, argv) {
		*p = Past{argv: argv}
	}
}
