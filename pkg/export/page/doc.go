// Package page writes sessions as HTML that a browser shows offline, without a single request.
//
// A page is one file with four parts:
//
//	skeleton   the frame, the style and the script, allowed by their digests in a Content-Security-Policy
//	index      JSON in clear: a few numbers per entry, and the beginnings of the prompts
//	bodies     the parts of the entries, in compressed chunks that the script unpacks when they come into view
//	images     as base64, the way they were in the transcript
//
// The index comes before the bodies. If there are several chunks, the first one comes even earlier, with the index of
// its own entries, so a browser shows the first messages while it still reads the rest. To write them in that order,
// the transcript is read twice. The first reading makes the index and decides which entry is in which chunk, and the
// second one writes the chunks as they fill up. So memory grows with the number of entries, not with their text.
//
// Nothing in a transcript can run. The script builds every element itself and sets texts only, and the policy forbids
// what it does not need: other scripts, styles, requests, frames, forms, and strings that become HTML.
//
// An encrypted page ([Lock]) has the same data in sealed segments, which the script opens with a password.
//
// A site is a page for each session, a [List] of them, and an index of their words ([Words]) that the list searches.
//
// A plain page has no script. It is for mail, and for up to [maxPlain] entries.
package page
