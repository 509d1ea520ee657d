// Package writing is how commands change things: files of other programs, sessions of clawctl's store, and copies that
// are written elsewhere.
//
// There is one flow, the [Job], whatever is changed:
//
//   - Plan. The command finds out what it would do, and prints that. Without --write this is all: the run ends with
//     status 1 if there is something to do, and a hint says how to do it.
//   - Question. With --write it asks first (confirm.go).
//   - Write. Each part of the plan is carried out by itself. One that fails does not stop the others.
//   - Receipt. Every change to a file goes through pkg/change and leaves a receipt in the data folder. The run names
//     it, so that `clawctl undo` reverts all that the run did. What was deleted for good has no way back, so it needs
//     -y if nobody can be asked.
package writing
