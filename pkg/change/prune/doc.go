// Package prune decides which files of a home may go to the trash, and which sessions must stay because of that.
//
// [Rules] select old files. Whether one of them is safe to delete is not decided here: [migrate.Proof.Safe] is the only
// definition of that. [ToTrash] moves a safe file to the trash. Its receipt names the sessions that have the content of
// the file. A [Guard] knows them all, so that nobody deletes the last copy by accident. A [Plan] lists what goes and
// what stays, and carries that out. An [Archiver] moves sessions of a store to a bundle instead of the trash.
package prune
