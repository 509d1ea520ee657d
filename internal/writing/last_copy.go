package writing

import (
	"clawctl/internal/cli"
	"clawctl/pkg/change/prune"
	"clawctl/pkg/store"
	"clawctl/pkg/store/session"
)

// A LastCopyOption is --last-copy of the commands that delete sessions for good, or let them expire. Without it, a
// session stays if a prune has moved a file to the trash because the session has everything that the file said.
type LastCopyOption struct{ Allowed bool }

// Flag describes it.
func (o *LastCopyOption) Flag() cli.Flag {
	return cli.SwitchFlag(&o.Allowed, "last-copy", "also what may be the last copy of a pruned file")
}

// Guard returns the guard of a store. The receipts are read when it is first asked, so that a command that changes the
// store has its lock by then.
func (o *LastCopyOption) Guard(a *cli.App, storePath string) session.Guard {
	if o.Allowed {
		return nil
	}
	var known *prune.Guard
	return func(t *store.Transcript) (file string, err error) {
		if known == nil {
			if known, err = readGuard(a, storePath); err != nil {
				return "", err
			}
		}
		if r := known.Receipt(t); r != nil {
			return r.Path, nil
		}
		if unread := known.Unread(t); unread != nil {
			return "", &receiptsError{unread.Path, unread}
		}
		return "", nil
	}
}

// readGuard reads the receipts of this user.
func readGuard(a *cli.App, storePath string) (*prune.Guard, error) {
	journal, err := Journal(a)
	if err != nil {
		return nil, err
	}
	receipts, unread, err := journal.ReadReceipts()
	if err != nil {
		return nil, &receiptsError{journal.Folder, err}
	}
	return prune.NewGuard(receipts, unread, storePath), nil
}

// A receiptsError says that nobody knows what was pruned, because a receipt that is about the session, or all of them,
// cannot be read.
type receiptsError struct {
	folder string
	err    error
}

func (e *receiptsError) Error() string { return e.err.Error() }
func (e *receiptsError) Unwrap() error { return e.err }
