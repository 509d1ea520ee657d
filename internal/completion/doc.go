// Package completion completes command lines in shells.
//
//   - The scripts of all shells call the hidden command `clawctl __complete -- WORDS...`. The last word is the one that
//     is being typed.
//   - It prints "files" or "words": whether the shell should offer files as well. Then it prints a candidate per line,
//     with a tab and a description if there is one. Every candidate is a whole word that begins with what was typed.
//   - Only names and indexes are read, never transcripts. What cannot be read is not offered, and nothing is an error.
package completion
