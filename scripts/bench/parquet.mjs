// parquet.mjs [FOLDER] adds up a dataset by day and model with DuckDB and prints how many seconds it took. Without a
// folder it only loads DuckDB.
import { DuckDBInstance } from '@duckdb/node-api';

const [folder] = process.argv.slice(2);
const db = await (await DuckDBInstance.create(':memory:')).connect();
if (folder) {
  const start = performance.now();
  await db.runAndReadAll(`
    SELECT day, model, sum(input), sum(output), sum(cache_read), sum(cache_write), sum(cost_usd)
    FROM '${folder.replaceAll("'", "''")}/usage/*/*/*.parquet' WHERE model IS NOT NULL GROUP BY ALL`);
  console.log((performance.now() - start) / 1000);
}
