// Package problems has the problems of checked servers in the forms that commands
// print and other programs read: members of JSON documents, SARIF for code
// scanning, annotations of a GitHub workflow, Markdown for a CI summary, and a
// baseline of accepted problems. It knows neither how a server was checked nor
// which command did it.
package problems
