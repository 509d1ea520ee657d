// Package bundle reads and writes bundles: sessions with their registrations and media in one file, to move them to
// another machine.
//
// A bundle is a tar archive, compressed with zstd, so that tar and zstd can list it. Its first member is the
// [Manifest], which has the path, the size and the SHA-256 of every other member. Each member is a zstd frame of its
// own, so a [Reader] opens any of them without reading those before it, and never needs a temporary file. In a bundle
// that is kept for long, several members share a frame ([Manifest.Group]), which takes less space. Whoever has noted
// the [Place] of a member opens it without the manifest.
//
// The manifest says which members there must be, and in which order. [Open] reads a bundle once from its beginning to
// its end, and refuses all of it if anything differs. What a bundle may contain is limited by name (names.go): it has
// no place for settings, programs or credentials, whoever made it.
//
// [Write] gives the same bytes for the same files. [Mover] rewrites paths for another machine.
package bundle
