// Package docs has the pages that `clawctl help` prints, so that a page is written once.
package docs

import _ "embed" // the pages are part of the program

// Config explains the configuration and lists its settings.
//
//go:embed config.md
var Config string

// Numbers defines what is counted, and when a number is unknown.
//
//go:embed numbers.md
var Numbers string

// Models explains the catalogue of models and how a name is found in it.
//
//go:embed models.md
var Models string

// Findings lists the exit statuses and every code.
//
//go:embed findings.md
var Findings string
