// Package flags has the flags and arguments that several commands share: the
// target and the session, SSH, config files of clients, scenarios, watching, the
// interface, and the names of recordings. It registers and completes them, checks
// them, and turns them into the configuration of a session. It starts nothing.
package flags
