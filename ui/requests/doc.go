// Package requests answers the requests of a server: elicitations, sampling, roots, and
// any other.
//
// A request opens as a view with a form, or the response as JSON; its text stays while
// the request is pending. The policies choose which methods are answered without the
// user. A State is what a session keeps of both.
package requests
