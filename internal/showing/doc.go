// Package showing prints a session for people and programs: as text, Markdown, an HTML page, JSON, or as the tree of
// its branches.
package showing
