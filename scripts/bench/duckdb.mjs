// duckdb.mjs [FILE [THREADS]] reads a transcript with DuckDB and prints how many seconds it took. The default is one
// thread, and 0 means one per core. Without a file it only loads DuckDB.
//
// The work is the same as that of `clawctl cat --type leaf`: the query plan projects all five fields in READ_JSON and
// filters after it. DuckDB also checks the rest of each line: bad escapes, numbers and UTF-8 in message.content are
// errors. If message were JSON instead of a struct, DuckDB would also copy every message, which clawctl does not do.
// Both take lines of up to 256 MiB. With its own limit of 16 MB, DuckDB has smaller buffers and is faster on all threads.
import { DuckDBInstance } from '@duckdb/node-api';

const [file, threads = '1'] = process.argv.slice(2);
const db = await (await DuckDBInstance.create(':memory:')).connect();
if (threads !== '0') await db.run(`SET threads=${Number(threads)}`);
if (file) {
  const start = performance.now();
  await db.runAndReadAll(`
    SELECT id, parentId, timestamp, message.role
    FROM read_json('${file.replaceAll("'", "''")}', format='newline_delimited',
      columns={type: 'VARCHAR', id: 'VARCHAR', parentId: 'VARCHAR', timestamp: 'VARCHAR',
        message: 'STRUCT(role VARCHAR)'},
      maximum_object_size=268435456, ignore_errors=false)
    WHERE type = 'leaf'`);
  console.log((performance.now() - start) / 1000);
}
