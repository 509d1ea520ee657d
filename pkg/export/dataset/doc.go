// Package dataset writes sessions as tables of Parquet files, for engines such as DuckDB, Spark and ClickHouse.
//
//	sessions ─▶ families ─▶ batches ─▶ rows ─▶ files ─▶ manifest
//
// The files are in TABLE/agent=AGENT/month=MONTH, which engines call Hive partitions. [Tables] describes the columns.
//
// What counts is decided by package stats: a record that is a copy of another one is only in the table of raw lines, so
// that sums over the table usage are the totals of stats. What is wrong is decided by package validate.
//
// A batch is a group of families that is read at once by one worker, and written to files of its own. Its name depends
// on the agent, on the month in which the families began, and on their sizes. So a session that grows changes one
// batch. A batch is read sequentially, and everything that ends a file depends on its rows alone: the same sessions
// make the same files, on any number of cores.
//
// Files are named after their content and never change. A run writes new files to a private folder, moves them into
// place, replaces the manifest, and removes the files that it no longer lists. Many hosts can share a folder. Each has
// a manifest and files of its own.
package dataset
