// Package smoke has the command smoke: its flags, the servers and hosts that they
// name, how the session of a target is made, and the adapters that write and show
// the results. The test itself is internal/smoke.
package smoke
