// Package settings reads the user's settings of the interface, a TOML file. Every
// error names the line and the setting. Which keys and views exist is known to the
// shell, which hands in a check of them.
package settings
