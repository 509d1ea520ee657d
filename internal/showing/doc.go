// Package showing prints a session for people and programs: as text, Markdown, an HTML page, JSON, or as the tree of
// its branches. It also prints the parts of several sessions as they come.
package showing
