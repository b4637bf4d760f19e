// Package hosts reads the hosts of a smoke test: lists of destinations, one per
// line, and patterns for the names in the user's ssh configuration.
//
//	# the web servers, except one that is being rebuilt
//	web-*
//	!web-9
//	me@db-1:2222
//	local
//
// It only handles text: the caller decides which destinations are valid, and
// provides the known names.
package hosts
