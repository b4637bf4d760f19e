// Package hosts reads which hosts a smoke test is to visit: lists of
// destinations, one a line, and patterns over the names that the user's ssh
// configuration has.
//
//	# the web servers, but for one that is being rebuilt
//	web-*
//	!web-9
//	me@db-1:2222
//	local
//
// It knows text only: what a destination may look like, and which names there
// are, is told by who calls it.
package hosts
