// Package watch reports changes of files whose names match globs.
//
// A [Watcher] watches folders, not files, because editors replace files. New
// folders are watched as they appear, and links to folders elsewhere are
// followed, though never in a circle. If the system does not report changes, or
// not all of them, because the files are on another machine or because the
// system has reached a limit, the files are polled every second: About and
// Change report that, with a hint.
//
// Changes within a short time are combined into one [Change]. Only a different
// content counts: a file that was touched, or that a formatter rewrote without
// a difference, has not changed.
//
// Globs are those of github.com/bmatcuk/doublestar: * and ? within a name, **
// across folders, [abc] and {a,b}. A glob with a leading ! excludes what it
// matches. The folders .git, .hg, .svn and node_modules and the temporary files
// of editors are never watched, unless a glob names them.
//
// A [Build] runs a command before each restart, and starts it over when files
// change while it runs. A [Backoff] delays restarts that follow each other at once.
package watch
