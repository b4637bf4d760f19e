package link

import "os"

// ownSocket says whether there is a socket; nothing is known of its owner.
func ownSocket(path string) error {
	_, err := os.Stat(path)
	return err
}
