// Package source finds and opens transcripts wherever they lie. It never writes, moves or locks what it reads.
//
// So far that is one file: [Open] gives the bytes of a transcript, plain or compressed, told by content.
package source
