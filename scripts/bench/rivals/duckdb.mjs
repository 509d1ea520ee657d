// duckdb.mjs [FILE [THREADS [QUERY]]] reads a transcript with DuckDB and prints how many seconds it took. The default is
// one thread, and 0 means one per core. Without a file it only loads DuckDB. The queries:
//
//   leaf    (the default) selects the records of a type, as `clawctl cat --type leaf` does. The query plan projects all
//           five fields in READ_JSON and filters after it. With message as a struct of its role alone, this is the
//           quickest form known.
//   fields  extracts five fields of every record, with message as JSON, whose content has no fixed structure.
//
// DuckDB also checks the rest of each line: bad escapes, numbers and UTF-8 in message.content are errors. clawctl and
// DuckDB take lines of up to 256 MiB. With its own limit of 16 MB, DuckDB has smaller buffers and is faster on all
// threads.
import { DuckDBInstance } from '@duckdb/node-api';

const [file, threads = '1', query = 'leaf'] = process.argv.slice(2);
const db = await (await DuckDBInstance.create(':memory:')).connect();
if (threads !== '0') await db.run(`SET threads=${Number(threads)}`);

// transcript is the table to read; message is the type of that column.
const transcript = (message) => `read_json('${file.replaceAll("'", "''")}', format='newline_delimited',
  columns={type: 'VARCHAR', id: 'VARCHAR', parentId: 'VARCHAR', timestamp: 'VARCHAR', message: '${message}'},
  maximum_object_size=268435456, ignore_errors=false)`;

const queries = {
  leaf: () => `SELECT id, parentId, timestamp, message.role FROM ${transcript('STRUCT(role VARCHAR)')}
    WHERE type = 'leaf'`,
  fields: () => `SELECT count(type), count(id), count(parentId), count(timestamp), count(message->>'role')
    FROM ${transcript('JSON')}`,
};

if (file) {
  const start = performance.now();
  await db.runAndReadAll(queries[query]());
  console.log((performance.now() - start) / 1000);
}
