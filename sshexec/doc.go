// Package sshexec is the executor on another machine: processes run there over
// SSH, with nothing installed and nothing left behind.
package sshexec
