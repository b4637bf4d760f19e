package serve

// Windows has no signals.
func signalNumber(string) int { return 0 }
