// Package uitest tests a single screen without the program around it. A Host is a
// fake of host.Host for one workspace: it records what the screen asks for, runs
// its commands, and paints its views. Golden compares a frame with a file. Only
// tests import this package.
package uitest
