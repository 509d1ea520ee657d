package claudecode

import "clawctl/pkg/jsontext"

// Origin returns the working directory and the branch of git of a row, if it has them. The name of the project's folder
// does not tell: it has one sign for several of the directory's.
func Origin(row jsontext.Value) (folder, branch jsontext.Value) {
	return row.Get("cwd"), row.Get("gitBranch")
}
