//go:build long

package cli

import "testing"

func TestLongLineWithoutEnd(t *testing.T) {
	endlessLine(t, 1<<30, 64<<20)
}

func TestLongLineWithoutEndByDefault(t *testing.T) {
	endlessLine(t, 1<<30, 256<<20)
}

func TestLongRoundsOfStartAndKill(t *testing.T) {
	killRounds(t, 200)
}

func TestLongKilledWhileRecording(t *testing.T) {
	killRecordings(t, 100)
}
