// duckdb.mjs [SQL...] runs SQL with DuckDB, in the folder in which it was started, and prints the rows of the last
// statement as JSON, one per line. Without SQL it only loads DuckDB. Numbers that JavaScript cannot hold are texts.
import { DuckDBInstance } from '@duckdb/node-api';

const db = await (await DuckDBInstance.create(':memory:')).connect();
for (const [i, sql] of process.argv.slice(2).entries()) {
  const rows = (await db.runAndReadAll(sql)).getRowObjectsJson();
  if (i === process.argv.length - 3) for (const row of rows) console.log(JSON.stringify(row));
}
