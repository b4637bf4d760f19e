package sshconfig

// A Destination is a host as it was typed.
type Destination struct {
	Host string // alias, name or address, without brackets
	User string // empty: not given
	Port int    // 0: not given
}
