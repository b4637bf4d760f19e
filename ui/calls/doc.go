// Package calls sends the requests that the user makes, whichever screen they come
// from. A pending call has a line above the footer with its progress, and can be
// cancelled; a cancelled call is watched for a late response.
package calls
