// Package pty runs programs in pseudo terminals, for tests and benchmarks. It
// exists on Linux only.
package pty
