package source

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/pkg/source/openclaw"
)

// jobFile is the file in which OpenClaw kept its cron jobs before it had a table for them, in the database in state.
const jobFile = "cron/jobs.json"

// CronJob returns the id of the cron job that a key belongs to, or "".
func CronJob(key string) string {
	parts := strings.Split(key, ":")
	if at := slices.Index(parts, "cron"); at >= 0 && at+1 < len(parts) {
		return parts[at+1]
	}
	return ""
}

// nameJobs gives the sessions of cron jobs the names of the jobs, as far as OpenClaw lists them in the state folder of
// the session. A list that is missing or damaged is no problem of a session: its job has an id.
func (w *walker) nameJobs() {
	byFolder := map[string]jobNames{}
	for _, s := range w.place.Sessions {
		job := CronJob(s.Key)
		folder, _, isInState := strings.Cut("/"+s.Below, "/agents/")
		if job == "" || !isInState || w.opts.NamesOnly {
			continue
		}
		names, known := byFolder[folder]
		if !known {
			names = w.jobsIn(strings.TrimPrefix(folder, "/"))
			byFolder[folder] = names
		}
		s.JobName = names[job]
	}
}

// jobsIn returns the names of the jobs of a state folder.
func (w *walker) jobsIn(folder string) jobNames {
	names := jobNames{}
	w.readJobFile(names, path.Join(folder, jobFile))
	w.readJobDatabase(names, folder)
	names.distinguish()
	return names
}

// jobNames are the names of jobs by their ids.
type jobNames map[string]string

func (n jobNames) add(id, name string) {
	if name = oneLine(name); id != "" && name != "" {
		n[id] = name
	}
}

// distinguish adds the ids to names that several jobs have.
func (n jobNames) distinguish() {
	uses := map[string]int{}
	for _, name := range n {
		uses[name]++
	}
	for id, name := range n {
		if uses[name] > 1 {
			n[id] = name + " (" + id + ")"
		}
	}
}

// readJobFile reads a list of jobs, or an object with one.
func (w *walker) readJobFile(names jobNames, file string) {
	value, err := w.parseConfig(filepath.FromSlash(file))
	if err != nil {
		return
	}
	if object, ok := value.(map[string]any); ok {
		value = object["jobs"]
	}
	jobs, _ := value.([]any)
	for _, job := range jobs {
		fields, _ := job.(map[string]any)
		id, _ := fields["id"].(string)
		name, _ := fields["name"].(string)
		names.add(id, name)
	}
}

// readJobDatabase reads the table of jobs. A bundle has no such database.
func (w *walker) readJobDatabase(names jobNames, folder string) {
	db, err := openclaw.OpenStateDatabase(w.ctx, filepath.Join(w.absolute, filepath.FromSlash(folder)))
	if err != nil {
		return
	}
	defer db.Close()
	const query = "SELECT CAST(job_id AS TEXT), CAST(name AS TEXT) FROM cron_jobs"
	_ = db.Each(w.ctx, query, nil, func(scan func(...any) error) error { // what was read before an error counts
		var id, name string
		if scan(&id, &name) == nil {
			names.add(id, name)
		}
		return nil
	})
}
