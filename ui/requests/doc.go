// Package requests answers the requests of a server: elicitations, sampling,
// roots, and any other.
//
// A request opens as a view with a form, or the response as JSON; its text stays
// while the request is pending. The policies choose which methods are answered
// without the user. A State is what a session keeps of both.
//
// The files: requests.go finds and opens requests and closes those that ended,
// answer.go is the view and sends responses, kinds.go has what differs between
// methods, text.go and url.go show what the server wrote, view.go draws,
// policies.go and policiesview.go are the policies.
package requests
