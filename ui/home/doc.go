// Package home lists the servers and recordings that can be opened, and opens one:
// a line to type in, the list, and the facts about the item under the cursor. An
// item that needs values from the user prompts for them first.
package home
