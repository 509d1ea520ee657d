// Highlighting: a few regular expressions for each family of languages. It is made to help reading, not to be a parser.

const words = (text) => new Set(text.split(' '));
const cLike = 'break case catch class const continue default do else enum extends false finally for function if import ' +
  'in instanceof interface let new null package private protected public return static super switch this throw true ' +
  'try typeof var void while yield async await export from of type struct union unsigned signed int long short char ' +
  'float double bool boolean string namespace using template virtual override final abstract implements readonly as ' +
  'is nil undefined sizeof goto';

const slashes = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/, hash = /(?<=^|\s)#[^\n]*/; // comments of several families

const families = {
  c: {comment: slashes, words: words(cLike)},
  go: {comment: slashes, words: words('break case chan const continue default defer else ' +
    'fallthrough for func go goto if import interface map package range return select struct switch type var nil true ' +
    'false iota any error string int int32 int64 uint uint32 uint64 byte rune bool float64 make new len cap append')},
  rust: {comment: slashes, words: words('as async await break const continue crate dyn else ' +
    'enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait ' +
    'true type unsafe use where while Some None Ok Err')},
  python: {comment: /#[^\n]*/, string: /[rbfu]{0,2}(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$))/i, words: words('and as ' +
    'assert async await break class continue def del elif else except False finally for from global if import in is ' +
    'lambda None nonlocal not or pass raise return self True try while with yield print match case')},
  ruby: {comment: /#[^\n]*/, words: words('begin break case class def do else elsif end ensure false for if in module ' +
    'next nil not or redo rescue retry return self super then true undef unless until when while yield require puts')},
  shell: {comment: hash, variable: /\$(?:\w+|\{[^}\n]*\}|[@#?*!$-])/, words: words('if then else elif fi ' +
    'for while do done case esac in function return local export set unset echo cd exit source sudo')},
  sql: {comment: /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/, ignoreCase: true, words: words('select from where insert into values ' +
    'update set delete create table index view drop alter add column primary key foreign references join left right ' +
    'inner outer on as and or not null is in exists between like order by group having limit offset union all distinct ' +
    'case when then else end begin commit rollback pragma with')},
  json: {property: /"(?:[^"\\\n]|\\.)*"(?=\s{0,9}:)/, words: words('true false null')},
  yaml: {comment: hash, property: /(?<=^|\n)[ \t]{0,80}(?:- ){0,9}[\w.\/-]{1,80}(?=:(?:\s|$))/, words: words('true false null yes no')},
  toml: {comment: /[#;][^\n]*/, property: /(?<=^|\n)[ \t]{0,80}(?:\[[^\]\n]{0,200}\]|[\w.-]{1,80}(?=[ \t]{0,40}=))/, words: words('true false')},
  css: {comment: /\/\*[\s\S]*?(?:\*\/|$)/, property: /[\w-]{1,60}(?=\s{0,9}:\s)/, variable: /[@#.][\w-]+/, words: words('important')},
  markup: {comment: /<!--[\s\S]*?(?:-->|$)/, property: /<\/?[\w:-]+|\/?>/, variable: /[\w:-]{1,60}(?==)/, words: words('')},
};

const languages = {
  c: 'c', h: 'c', cpp: 'c', cc: 'c', hpp: 'c', 'c++': 'c', cs: 'c', csharp: 'c', java: 'c', kotlin: 'c', kt: 'c', swift: 'c',
  js: 'c', mjs: 'c', cjs: 'c', jsx: 'c', ts: 'c', tsx: 'c', javascript: 'c', typescript: 'c', php: 'c', dart: 'c', scala: 'c',
  go: 'go', golang: 'go', rs: 'rust', rust: 'rust', zig: 'rust', py: 'python', python: 'python', rb: 'ruby', ruby: 'ruby',
  sh: 'shell', bash: 'shell', zsh: 'shell', shell: 'shell', console: 'shell', fish: 'shell', dockerfile: 'shell',
  makefile: 'shell', mk: 'shell', sql: 'sql', sqlite: 'sql', json: 'json', jsonl: 'json', json5: 'c', jsonc: 'c',
  yaml: 'yaml', yml: 'yaml', toml: 'toml', ini: 'toml', conf: 'toml', css: 'css', scss: 'css', less: 'css',
  html: 'markup', xml: 'markup', svg: 'markup', vue: 'markup',
};

const maxHighlight = 60000; // characters; longer texts are shown without colours

const patterns = new Map();

// patternOf joins the expressions of a family into one, so that a text is scanned once.
function patternOf(name) {
  if (!patterns.has(name)) {
    const f = families[name];
    const none = /(?!)/;
    const string = /"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|`(?:[^`\\]|\\.)*`?/;
    const groups = {
      c: f.comment || none, p: f.property || none, s: f.string ? new RegExp(`${f.string.source}|${string.source}`) : string,
      v: f.variable || none, n: /\b(?:0[xX][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)\b/, w: /[A-Za-z_][\w]*/,
    };
    const source = Object.entries(groups).map(([key, r]) => `(?<${key}>${r.source})`).join('|');
    patterns.set(name, new RegExp(source, 'g'));
  }
  return patterns.get(name);
}

const classes = {c: 'hl-comment', p: 'hl-property', s: 'hl-string', v: 'hl-variable', n: 'hl-number'};

// highlight returns the nodes of a text in a language.
function highlight(text, language) {
  const name = (language || '').toLowerCase();
  if (name === 'diff' || name === 'patch') return diffLines(text);
  const family = Object.hasOwn(languages, name) && languages[name];
  if (!family || text.length > maxHighlight) return [text];
  const out = [];
  let last = 0;
  for (const match of text.matchAll(patternOf(family))) {
    const kind = classOf(match, families[family]);
    if (!kind) continue;
    if (match.index > last) out.push(text.slice(last, match.index));
    out.push(h('span', {class: kind}, match[0]));
    last = match.index + match[0].length;
  }
  if (last < text.length) out.push(text.slice(last));
  return out;
}

function classOf(match, family) {
  const {w} = match.groups;
  if (w !== undefined) return family.words.has(family.ignoreCase ? w.toLowerCase() : w) ? 'hl-keyword' : null;
  for (const key in classes) if (match.groups[key] !== undefined) return classes[key];
  return null;
}

// languageOf returns the language of a file by its name.
function languageOf(path) {
  const base = String(path || '').split(/[\\/]/).pop().toLowerCase();
  if (base === 'makefile' || base === 'dockerfile') return base;
  return base.includes('.') ? base.split('.').pop() : '';
}

// prettyJSON lays out JSON text without reading its values, so that every digit stays as it was.
function prettyJSON(text) {
  const out = [];
  let depth = 0;
  const line = () => '\n' + '  '.repeat(Math.max(0, Math.min(depth, 40)));
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    if (token === '}' || token === ']') {
      depth--;
      const isEmpty = out.length > 1 && /^[{[]$/.test(out[out.length - 2]);
      if (isEmpty) out.pop();
      out.push(isEmpty ? token : line() + token);
    } else if (token === '{' || token === '[') {
      depth++;
      out.push(token, line());
    } else if (token === ',') out.push(token + line());
    else out.push(token === ':' ? ': ' : token);
  }
  return out.join('');
}
