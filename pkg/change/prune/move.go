package prune

import (
	"errors"
	"path/filepath"
	"syscall"

	"clawctl/internal/openfile"
	"clawctl/pkg/change"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
)

// command is the name that receipts have for a prune.
const command = "prune"

// ToTrash moves a safe file in the first way that its file system allows.
func ToTrash(journal *change.Journal, p *migrate.Proof, target migrate.Location) (*change.Receipt, error) {
	var receipt *change.Receipt
	var err error
	for _, way := range moves(p, target) {
		if receipt, err = journal.Move(way); !errors.Is(err, syscall.EXDEV) {
			break
		}
	}
	return receipt, err
}

// moves returns the ways to move a safe file to the trash, the best first: to that of the folder that was searched or,
// if that is on another file system, to one beside the file. A file that changed after it was compared is refused.
func moves(p *migrate.Proof, target migrate.Location) []change.Move {
	path := migrate.ReceiptPath(p.Session)
	m := change.Move{Path: path, Command: command, Proof: proofOf(p, target), Check: func() error {
		if !p.Unchanged() {
			return change.ErrChanged
		}
		return nil
	}}
	far, near := m, m
	far.Trash, far.Below = filepath.Join(p.Session.Root, source.TrashFolder), p.Session.Below
	near.Trash, near.Below = filepath.Join(filepath.Dir(path), source.TrashFolder), filepath.Base(path)
	if filepath.Base(filepath.Dir(path)) == "cold" { // a cold archive is recognized by its folder
		near.Below = "cold/" + near.Below
	}
	if far.Trash == near.Trash {
		return []change.Move{near}
	}
	return []change.Move{far, near}
}

// proofOf names the sessions that have the content of a file.
func proofOf(p *migrate.Proof, target migrate.Location) change.Proof {
	proof := change.Proof{Kind: target.Kind.String(), Path: openfile.WithoutLinks(target.Path)}
	for _, s := range p.Holders {
		proof.Sessions = append(proof.Sessions, change.Witness{Session: s.Name(), ID: s.ID})
	}
	return proof
}
