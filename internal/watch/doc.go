// Package watch tells when files change whose names match globs.
//
// A [Watcher] watches folders, not files, because editors put a new file in the
// place of the old one. Folders that are made later are watched as they come, and
// links to folders elsewhere are followed, though never in a circle. Where the
// system does not tell of changes, or not of all, because the files are on another
// machine or because it has no more watches to give, they are looked at each
// second: About and Change say so, and what to try.
// What happens within a short time is one [Change], and only what is really
// another content counts: a file that was touched, or that a formatter wrote
// again as it was, has not changed.
//
// Globs are those of github.com/bmatcuk/doublestar: * and ? within a name, **
// over folders, [abc] and {a,b}. One with ! before it leaves out what it
// matches. The folders .git, .hg, .svn and node_modules and what editors leave
// beside files are never watched, unless a glob names them.
package watch
