// bucket.mjs FOLDER serves a folder as the bucket "fleet" of S3, for reading: objects, parts of them, and lists of
// 1,000 names. It prints its address. For every line of input it prints what was asked for since the last one, as JSON.
import { createReadStream, readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const folder = process.argv[2];
const pageKeys = 1000;
const version = '"1"'; // no object changes while an engine reads it
let counts;
const reset = () => { counts = { reads: 0, lists: 0, sent: 0 }; };

// keys returns the names below a prefix, in order.
function keys(prefix) {
  const base = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  const below = readdirSync(join(folder, base), { recursive: true, withFileTypes: true });
  return below.filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((key) => key.startsWith(prefix)).sort();
}

// list answers ListObjectsV2. The token of the next page is the last name of this one.
function list(query, response) {
  counts.lists++;
  const after = query.get('continuation-token') ?? '';
  const left = keys(query.get('prefix') ?? '').filter((key) => key > after);
  const page = left.slice(0, pageKeys);
  const next = left.length > pageKeys ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  const contents = page.map((key) => `<Contents><Key>${key}</Key><ETag>${version}</ETag>` +
    '<LastModified>2026-03-01T00:00:00.000Z</LastModified>' +
    `<Size>${statSync(join(folder, key)).size}</Size></Contents>`);
  response.end(`<ListBucketResult><KeyCount>${page.length}</KeyCount><MaxKeys>${pageKeys}</MaxKeys>` +
    `<IsTruncated>${next !== ''}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`);
}

// read answers requests for an object, a part of it, or its size.
function read(key, request, response) {
  counts.reads++;
  const path = join(folder, key);
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) return response.writeHead(404).end();
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
  const start = Number(range?.[1] ?? 0);
  const end = Math.min(Number(range?.[2] || size - 1), size - 1);
  const headers = { 'Content-Length': end - start + 1, ETag: version, 'Accept-Ranges': 'bytes' };
  if (range) headers['Content-Range'] = `bytes ${start}-${end}/${size}`;
  response.writeHead(range ? 206 : 200, headers);
  if (request.method === 'HEAD') return response.end();
  counts.sent += end - start + 1;
  return createReadStream(path, { start, end }).pipe(response);
}

reset();
const server = createServer((request, response) => {
  const url = new URL(request.url, 'http://localhost');
  if (url.searchParams.has('list-type')) list(url.searchParams, response);
  else read(decodeURIComponent(url.pathname).replace('/fleet/', ''), request, response);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/fleet/`));
createInterface({ input: process.stdin }).on('line', () => {
  console.log(JSON.stringify(counts));
  reset();
}).on('close', () => process.exit());
