// Package tty is the terminal apart from the screen: it asks for a line of text
// on the controlling terminal when there is no screen, and restores a terminal
// for a program that has to exit early.
package tty
