// Package prune decides which files of a home may go to the trash, and which sessions must stay because of that.
//
// [Rules] select old files. Whether one of them is safe to delete is not decided here: [migrate.Proof.Safe] is the only
// definition of that. [Move] describes the change that takes a safe file to the trash. Its receipt names the sessions
// that have the content of the file. A [Guard] knows them all, so that nobody deletes the last copy by accident.
package prune
