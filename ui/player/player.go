package player

// A State is the player of one recording on the screen. The zero value is ready to
// use.
type State struct {
	bar barPlace // as it was painted last
}
