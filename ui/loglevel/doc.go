// Package loglevel chooses the least severe level of the log messages that a server
// should send. How it is sent depends on the era: see session.SetLogLevel.
package loglevel
