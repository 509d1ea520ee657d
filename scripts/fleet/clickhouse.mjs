// clickhouse.mjs [SQL...] runs SQL with ClickHouse, in the folder in which it was started, and prints the rows of the
// last statement as JSON, one per line. chDB is ClickHouse as a library. Without SQL it only loads ClickHouse.
import chdb from 'chdb';

const statements = process.argv.slice(2);
for (const [i, sql] of statements.entries()) {
  const rows = chdb.query(sql, 'JSONEachRow');
  if (i === statements.length - 1) process.stdout.write(rows);
}
