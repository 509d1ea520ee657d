// Package writing is how commands change things, and ask before: files of other programs through pkg/change with a plan
// and a receipt, sessions of clawctl's store, and copies that are written elsewhere.
package writing
