// Command release packs what .ci/release has built. Its output depends on the files
// and the time that it is given only, so that anybody can build a release again and
// compare.
//
//	release archive TIME OUT.tar.gz|OUT.zip NAME=FILE...
//	release image TIME OUT.tar VERSION ARCH BINARY LICENSE
//
// TIME is in seconds since 1970. NAME is the path of FILE in the archive.
package main
