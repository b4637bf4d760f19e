//go:build long && linux

package tap_test

func init() { liveRestarts, liveKills = 50, 100 }
