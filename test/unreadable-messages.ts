/** The error codes of JSON-RPC, and ours for a message over a limit. */
const PARSE = -32_700
export const REQUEST = -32_600
const METHOD = -32_601
export const PARAMS = -32_602
export const LARGE = -32_013

const call = (more: string) => `{"jsonrpc":"2.0","id":1,${more}}`
const inParams = (value: string) => call(`"method":"daemon.ping","params":${value}`)
const nested = (levels: number) => inParams(`{"a":${'['.repeat(levels - 2)}${']'.repeat(levels - 2)}}`)
const keys = (count: number) =>
  inParams(`{${Array.from({ length: count - 4 }, (_, index) => `"k${index}":0`).join(',')}}`)
/** So many calls in one message. */
export const batchOf = (count: number, make: (id: number) => string) =>
  `[${Array.from({ length: count }, (_, index) => make(index)).join(',')}]`

/** Messages that cannot be read or carried out: what is wrong, the message, the code of the answer. */
export const UNREADABLE: readonly (readonly [string, string | Buffer, number])[] = [
  ['half an object', '{', PARSE],
  ['no JSON', 'GET / HTTP/1.1\r', PARSE],
  ['a comma too much', call('"method":"daemon.ping",'), PARSE],
  ['a number that is none', call('"method":"daemon.ping","params":{"a":NaN}'), PARSE],
  ['single quotes', "{'jsonrpc':'2.0'}", PARSE],
  ['a blank', ' ', PARSE],
  ['bytes that are no UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22]), PARSE],
  ['a cut character', Buffer.from([0x22, 0xe2, 0x82, 0x22]), PARSE],
  ['an overlong character', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), PARSE],
  ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), PARSE],
  ['UTF-16', Buffer.from(call('"method":"daemon.ping"'), 'utf16le'), PARSE],
  ['a byte order mark', `\uFEFF${call('"method":"daemon.ping"')}`, PARSE],
  ['NUL bytes', `${call('"method":"daemon.ping"')}\u0000`, PARSE],
  ['only NUL bytes', '\u0000'.repeat(1000), PARSE],
  ['a number', '1', REQUEST],
  ['null', 'null', REQUEST],
  ['a text', '"daemon.ping"', REQUEST],
  ['no version', '{"id":1,"method":"daemon.ping"}', REQUEST],
  ['no method', call('"params":{}'), REQUEST],
  ['a method that is a number', call('"method":1'), REQUEST],
  ['parameters that are a text', inParams('"x"'), REQUEST],
  ['a deadline that has passed', call('"method":"daemon.ping","deadline_ms":-1'), REQUEST],
  ['an id that is a list', '{"jsonrpc":"2.0","id":[1],"method":"daemon.ping"}', REQUEST],
  ['an empty batch', '[]', REQUEST],
  ['an unknown method', call('"method":"db.nothing"'), METHOD],
  ['a method of every object', call('"method":"toString"'), METHOD],
  ['a method of every prototype', call('"method":"__proto__"'), METHOD],
  ['a method that is half a character', call(String.raw`"method":"\ud800"`), METHOD],
  ['a list of parameters', inParams('[]'), PARAMS],
  ['an unknown parameter', inParams('{"a":1}'), PARAMS],
  [
    'a parameter that only a prototype has',
    call('"method":"db.effort.get","params":{"__proto__":{"effort_id":1}}'),
    PARAMS,
  ],
  ['a number beyond all numbers', call('"method":"db.effort.get","params":{"effort_id":1e999}'), PARAMS],
  [
    'a number beyond the exact ones',
    call('"method":"db.effort.get","params":{"effort_id":9007199254740993}'),
    PARAMS,
  ],
  ['a fraction', call('"method":"db.effort.get","params":{"effort_id":1.5}'), PARAMS],
  ['63 levels', nested(63), PARAMS],
  ['64 levels', nested(64), PARAMS],
  ['65 levels', nested(65), LARGE],
  ['100,000 levels', '['.repeat(100_000), LARGE],
  ['9,999 keys', keys(9999), PARAMS],
  ['10,000 keys', keys(10_000), PARAMS],
  ['10,001 keys', keys(10_001), LARGE],
  ['a batch of 101', batchOf(101, () => call('"method":"daemon.ping"')), LARGE],
]
