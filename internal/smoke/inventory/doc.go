// Package inventory says what a server offers, and in what that differs from
// another server, or from itself at another time.
package inventory
