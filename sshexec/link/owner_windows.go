package link

import "os"

// ownSocket reports whether there is a socket; its owner is unknown.
func ownSocket(path string) error {
	_, err := os.Stat(path)
	return err
}
