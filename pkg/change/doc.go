// Package change is the only way in which clawctl changes a file that another program wrote.
//
// A change has five steps:
//
//   - Plan. [Open] takes a snapshot of a file: its bytes and their SHA-256. Whoever wants to change it describes that
//     as [Edits], which are byte ranges and what replaces them.
//   - Check. [Journal.Write] takes the lock that OpenClaw itself takes while it writes a transcript. It refuses a file
//     that somebody else has locked, or that is no longer what the snapshot says.
//   - Write. The new text goes to a temporary file beside the old one.
//   - Verify. The temporary file is read back, compared with the SHA-256 of what was meant, and shown to the caller,
//     who may still refuse it.
//   - Receipt. A [Receipt] with both SHA-256 sums and the old bytes of every changed range is synced to disk. Only then
//     the new file takes the place of the old one, in one rename. Before that, the new file is synced and the old one
//     is looked at once more.
//
// So a crash or a kill at any moment leaves the old file or the new one, whole. Appending is done in the same way,
// because a kill may cut a plain append in two.
//
// A program without a lock may append to the old file until it is replaced, and after that if it has it open. So the
// old file keeps a second name as an [Original]. What arrived there is carried over after the rename, and again by
// every later run, until no process has the file open.
//
// A run leaves a marker while it changes files, so the next one finds out that it was interrupted. [Journal.Begin]
// closes the receipts of changes that were never made, or that were undone and not noted, under the lock of their file.
// Names of runs are random and never meet. Their number, not the clock, says which one was the last.
//
// [Journal.Create] does the same for a file that is not there yet.
//
// A [Move] takes a whole file to a trash instead. It has the same steps, except that nothing is written: the receipt
// has the SHA-256 of the file, where it went, and who has its content. Then the file is renamed. So it is in its old
// place or in the trash, and if it is in the trash, there is a receipt. [Journal.Remove] deletes it from there.
//
// [Journal.Undo] reads a receipt and does all of that in the other direction. It refuses a file that has changed since,
// so that nothing that was added later is lost.
package change
