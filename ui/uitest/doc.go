// Package uitest tests a single screen without the program around it. A Host is a fake of
// host.Host for one workspace, a Room drives the screen by the names of its actions and
// by keys, and a Server answers the session of a workspace. Golden compares a frame with
// a file. Only tests import this package.
package uitest
