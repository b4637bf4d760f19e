package console

// EndBySignal returns: there are no signals here.
func EndBySignal(string, int) {}
