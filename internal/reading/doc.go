// Package reading is how commands read sessions: one session twice, first for its index and then for its text
// (Transcript); one session against its window (SessionContext); several as they grow (Following); many for a verdict
// (JudgeAll) or against a database (CompareWith); a whole state folder for its health (Examine).
package reading
