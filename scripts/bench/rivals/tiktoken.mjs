// tiktoken.mjs [ENCODING FILE] counts the tokens of a file with the WASM build of OpenAI's tiktoken and prints how many
// seconds it took. Without arguments it only loads the package.
import fs from "node:fs";
import { get_encoding } from "tiktoken";

const [name, file] = process.argv.slice(2);
if (file) {
  const encoding = get_encoding(name), text = fs.readFileSync(file, "utf8");
  const begun = process.hrtime.bigint();
  encoding.encode_ordinary(text);
  console.log(Number(process.hrtime.bigint() - begun) / 1e9);
}
