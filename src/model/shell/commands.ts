/** How to parse the arguments of a program that shows files. */
export interface Reader {
  /** The letters of its options that take a value. */
  readonly valued: string
  /** Its first operand is a pattern or a script, unless one of these options gives it. */
  readonly pattern?: readonly string[] | undefined
  /** With one of these options it shows no contents. */
  readonly silent?: readonly string[] | undefined
  /** With one of these options, or always, it reads whole folders; the default is the current folder. */
  readonly recursive?: readonly string[] | 'always' | undefined
  /** What goes through it comes out as something else. */
  readonly changes?: true
  /** Options that limit a search to some files. */
  readonly only?: { readonly globs: readonly string[]; readonly types: readonly string[] }
  /** It copies files and folders to its last operand, or to the folder of these options. */
  readonly copies?: readonly string[]
  /** Its arguments may hold a script, which can open other files. */
  readonly runs?: true
}

const readers = (names: string, reader: Reader): readonly (readonly [string, Reader])[] =>
  names.split(' ').map((name) => [name, reader])

/** Options that make a search print only file names or counts. */
const NAMES_ONLY = [
  '-l',
  '-L',
  '-c',
  '-q',
  '--count',
  '--quiet',
  '--files-with-matches',
  '--files-without-match',
]

/** Options that name the target folder before the sources. */
const INTO = ['-t', '--target-directory']

/** Programs that show or copy the contents of files. */
export const READERS: ReadonlyMap<string, Reader> = new Map([
  ...readers('cat tac most glow mdcat comm shuf', { valued: '' }),
  ...readers('zcat bzcat xzcat zstdcat lz4cat rev strings ptx hd', { valued: '', changes: true }),
  ...readers('less more view vi vim ex nvim nano emacs', { valued: '', runs: true }),
  ...readers('gzip gunzip bzip2 bunzip2 xz unxz zstd lz4 compress', {
    valued: 'S',
    silent: ['-l', '-t'],
    changes: true,
  }),
  ...readers('diff sdiff diff3 colordiff wdiff vimdiff', { valued: '', silent: ['-q', '--brief'] }),
  ...readers('cmp', { valued: '', silent: ['-s', '--silent', '--quiet'] }),
  ...readers('head tail', { valued: 'cns' }),
  ...readers('bat batcat', { valued: 'lHrm' }),
  ...readers('nl', { valued: 'bdfhilnsvw' }),
  ...readers('cut', { valued: 'bcdf', changes: true }),
  ...readers('sort', { valued: 'kSTto' }),
  ...readers('uniq', { valued: 'fsw' }),
  ...readers('paste join', { valued: 'dtjaeov12' }),
  ...readers('column', { valued: 'cEHlNnOopRrsTW' }),
  ...readers('fold fmt', { valued: 'gpw' }),
  ...readers('pr', { valued: 'DhlNowW' }),
  ...readers('expand unexpand', { valued: 't' }),
  ...readers('od', { valued: 'AjNSt', changes: true }),
  ...readers('hexdump', { valued: 'efns', changes: true }),
  ...readers('xxd', { valued: 'cglnoRs', changes: true }),
  ...readers('base64 base32 basenc', { valued: 'w', changes: true }),
  ...readers('iconv', { valued: 'ft', changes: true }),
  ...readers('split csplit', { valued: 'abClnft', runs: true }),
  ...readers('sed gsed', {
    valued: 'efl',
    pattern: ['-e', '-f', '--expression', '--file'],
    silent: ['-i', '--in-place'],
    changes: true,
    runs: true,
  }),
  ...readers('awk gawk mawk nawk', { valued: 'Fvf', pattern: ['-f', '--file'], changes: true, runs: true }),
  ...readers('grep egrep fgrep zgrep', {
    valued: 'ABCDdefm',
    pattern: ['-e', '-f', '--regexp', '--file'],
    silent: NAMES_ONLY,
    recursive: ['-r', '-R', '--recursive', '--dereference-recursive'],
    only: { globs: ['--include'], types: [] },
  }),
  ...readers('rg ag ack', {
    valued: 'ABCEefgjMmrtT',
    pattern: ['-e', '-f', '--regexp', '--files'],
    // In these programs -L follows links.
    silent: [...NAMES_ONLY.filter((name) => name !== '-L'), '--files'],
    recursive: 'always',
    only: { globs: ['-g', '--glob'], types: ['-t', '--type'] },
  }),
  ...readers('jq yq', { valued: 'fL', pattern: ['-f', '--from-file'], changes: true, runs: true }),
  ...readers('cp', { valued: 'tS', copies: INTO }),
  ...readers('install', { valued: 'tSmgo', copies: INTO }),
  ...readers('rsync', { valued: 'ef', copies: [] }),
  ...readers('Get-Content gc', { valued: '' }),
])

/** Programs that count their input or compute a digest of it, and show nothing of it. */
export const COUNTERS: ReadonlySet<string> = new Set(
  'wc md5sum sha1sum sha256sum sha512sum b2sum cksum shasum'.split(' '),
)

/** Which operands of a program it creates, changes or removes. */
export interface Writer {
  /** The letters of its options that take a value. */
  readonly valued: string
  readonly which: 'all' | 'first' | 'last'
  /** Its first operand is a script, unless one of these options gives it. */
  readonly pattern?: readonly string[]
  /** It writes only with one of these options. */
  readonly only?: readonly string[]
  /** Options that name the target folder instead of the last operand. */
  readonly into?: readonly string[]
}

const writers = (names: string, writer: Writer): readonly (readonly [string, Writer])[] =>
  names.split(' ').map((name) => [name, writer])

/** Programs whose arguments name the files that they write. */
export const WRITERS: ReadonlyMap<string, Writer> = new Map([
  ...writers('tee rm rmdir unlink', { valued: '', which: 'all' }),
  ...writers('mkdir', { valued: 'm', which: 'all' }),
  ...writers('touch', { valued: 'drt', which: 'all' }),
  ...writers('truncate', { valued: 'rs', which: 'all' }),
  ...writers('shred', { valued: 'ns', which: 'all' }),
  // A move also changes its source.
  ...writers('mv', { valued: 'tS', which: 'all', into: INTO }),
  ...writers('cp ln', { valued: 'tS', which: 'last', into: INTO }),
  ...writers('install', { valued: 'tSmgo', which: 'last', into: INTO }),
  ...writers('patch', { valued: 'BdDFgiopruVYz', which: 'first' }),
  ...writers('sed gsed', {
    valued: 'efl',
    which: 'all',
    pattern: ['-e', '-f', '--expression'],
    only: ['-i', '--in-place'],
  }),
  ...writers('perl ruby', { valued: 'eEIMm', which: 'all', pattern: ['-e', '-E'], only: ['-i'] }),
])

/** Programs that run another command: their valued options, and the operands before the command. */
export const WRAPPERS: ReadonlyMap<string, { readonly valued: string; readonly skip: number }> = new Map(
  Object.entries({
    sudo: { valued: 'CDghpRrtTUu', skip: 0 },
    doas: { valued: 'Cu', skip: 0 },
    env: { valued: 'Cu', skip: 0 },
    nice: { valued: 'n', skip: 0 },
    ionice: { valued: 'cn', skip: 0 },
    timeout: { valued: 'ks', skip: 1 },
    stdbuf: { valued: 'eio', skip: 0 },
    watch: { valued: 'n', skip: 0 },
    setsid: { valued: '', skip: 0 },
    nohup: { valued: '', skip: 0 },
    time: { valued: 'fo', skip: 0 },
    command: { valued: '', skip: 0 },
    builtin: { valued: '', skip: 0 },
    exec: { valued: 'a', skip: 0 },
    busybox: { valued: '', skip: 0 },
    npx: { valued: 'pc', skip: 0 },
    bunx: { valued: '', skip: 0 },
  }),
)

export const SHELLS: ReadonlySet<string> = new Set('sh bash zsh dash ksh'.split(' '))

/** Programs with no output, which leave the output of a list known. */
export const SILENT: ReadonlySet<string> = new Set(
  'true false : test [ sleep mkdir touch rm mv cp ln'.split(' '),
)
