import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { build, type BuildOptions, type Metafile, type Plugin, transform } from 'esbuild'
import about from '../package.json' with { type: 'json' }
import door from '../src/workflow/door.json' with { type: 'json' }

const ROOT = join(import.meta.dirname, '..')

/** What a command loads, with its entry points. */
const COMMANDS = {
  cli: 'src/cli/main.ts',
  quick: 'src/cli/quick.ts',
  every: 'src/cli/every.ts',
}

/** The other programs of the package. */
const FILES = {
  statusline: 'src/hook/main.ts',
  daemon: 'src/daemon/main.ts',
  skills: 'src/skills/read-all.ts',
  'skill-worker': 'src/files/skill-worker.ts',
  'damage-worker': 'src/daemon/damage-worker.ts',
  'index-worker': 'src/daemon/index-worker.ts',
  'erase-worker': 'src/daemon/erase-worker.ts',
  config: 'src/skills/config-text.ts',
  pg: 'pg',
}

/** Builds the programs of the package into the folder, complete or not at all. */
export async function bundle(folder: string, more: Readonly<Record<string, string>> = {}): Promise<void> {
  // Beside the target, because a rename is atomic only within one file system.
  const fresh = mkdtempSync(`${folder}.`)
  try {
    const make = (entryPoints: Readonly<Record<string, string>>, plugins: readonly Plugin[]) =>
      build({ ...HOW, entryPoints, outdir: fresh, plugins: [...plugins, apart, uncommented] })
    const commands = await make(COMMANDS, [late])
    const others = await make({ ...FILES, ...more }, [])
    checkLight(commands.metafile)
    writeFileSync(join(fresh, 'THIRD_PARTY.txt'), licenses([commands.metafile, others.metafile]))
    // What authors import as holdfast/workflow.
    writeFileSync(join(fresh, 'workflow.js'), door.code)
    writeFileSync(join(fresh, 'workflow.d.ts'), door.types)
    cpSync(join(ROOT, 'contents'), join(fresh, 'contents'), { recursive: true })
    chmodSync(fresh, 0o755)
    put(fresh, folder)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

const HOW = {
  absWorkingDir: ROOT,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node24',
  // A native import() would load the ESM loader, which slows a cold command.
  supported: { 'dynamic-import': false },
  define: { 'import.meta.dirname': '__dirname' },
  // Not minified, so that stacks are readable; minified, a daemon would start only 5 % sooner.
  legalComments: 'none',
  metafile: true,
  // Its main file loads its parts at run time, which no bundler can follow.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  logLevel: 'warning',
} as const satisfies BuildOptions

/** Imports that stay separate files, because not every program needs them. */
const APART: readonly (readonly [RegExp, string])[] = [
  [/^pg$/, './pg.cjs'],
  [/^\.\/main\.ts$/, './daemon.cjs'],
  [/^\.\/quick\.ts$/, './quick.cjs'],
  [/^\.\/every\.ts$/, './every.cjs'],
  [/^(\.\.\/)+skills\/read-all\.ts$/, './skills.cjs'],
  [/^(\.\.\/)+skills\/config-text\.ts$/, './config.cjs'],
]

const apart: Plugin = {
  name: 'apart',
  setup(esbuild) {
    for (const [filter, path] of APART)
      esbuild.onResolve({ filter }, ({ kind }) =>
        kind === 'entry-point' ? undefined : { path, external: true },
      )
  },
}

/** What few commands use, and what takes milliseconds to load: Node's larger parts, and the parser of YAML. */
const LATE =
  /^(node:(child_process|crypto|fs\/promises|readline|sqlite|timers\/promises)|.*\/config-text\.ts)$/

/** Loads such a module when something of it is used, not when the file that imports it loads. */
const late: Plugin = {
  name: 'late',
  setup(esbuild) {
    const namespace = 'late'
    esbuild.onResolve({ filter: LATE }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace } : undefined,
    )
    esbuild.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
      contents: `module.exports = Object.create(new Proxy({}, { get: (_, name) => require('${path}')[name] }))`,
    }))
  },
}

/** Drops the comments of Kysely: a third of its text, with letters that make Node store two bytes per character. */
const uncommented: Plugin = {
  name: 'uncommented',
  setup(esbuild) {
    esbuild.onLoad({ filter: /\/node_modules\/kysely\/.*\.js$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, 'utf8'), {
        minifyWhitespace: true,
        legalComments: 'none',
      })
      return { contents: code }
    })
  },
}

const packageOf = (input: string): string | undefined =>
  /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]

function packagesIn(output: Metafile['outputs'][string]): readonly string[] {
  const used = Object.entries(output.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
  return [...new Set(used.map(([input]) => packageOf(input)).filter((folder) => folder !== undefined))]
}

/** Fails the build on heavy imports, because one would slow every command. */
function checkLight({ outputs }: Metafile): void {
  // Both are small and load in one millisecond together.
  const isLight = (folder: string) => /\/(jsonc-parser|diff)$/.test(folder)
  const heavy = Object.values(outputs)
    .flatMap(packagesIn)
    .filter((one) => !isLight(one))
  if (heavy.length > 0) throw new Error(`The CLI must not load ${heavy.join(', ')} at startup.`)
}

function licenses(made: readonly Metafile[]): string {
  const folders = new Set(made.flatMap(({ outputs }) => Object.values(outputs).flatMap(packagesIn)))
  const texts = [...folders].toSorted().map((folder) => {
    const text = readFileSync(join(ROOT, folder, 'package.json'), 'utf8')
    const used = JSON.parse(text) as Record<string, string>
    return `${used['name']} ${used['version']} (${used['license']})\n\n${license(join(ROOT, folder)).trim()}\n`
  })
  return ['The programs in this folder contain these packages.\n', ...texts].join(`\n${'-'.repeat(80)}\n\n`)
}

/** Some packages have their license only at the end of their README. */
function license(folder: string): string {
  const names = readdirSync(folder)
  const file = names.find((name) => /^(licen[cs]e|copying)/i.test(name))
  if (file !== undefined) return readFileSync(join(folder, file), 'utf8')
  const readme = names.find((name) => /^readme/i.test(name))
  const text = readme === undefined ? '' : readFileSync(join(folder, readme), 'utf8')
  const found = /^#+ *licen[cs]e\s*\n(.*permission.*)/ims.exec(text)?.[1]
  if (found === undefined) throw new Error(`${folder} has no license text.`)
  return found
}

/** Several builds may finish at once; the last one wins. */
function put(fresh: string, folder: string): void {
  const old = `${fresh}.old`
  for (;;)
    try {
      renameSync(fresh, folder)
      rmSync(old, { recursive: true, force: true })
      return
    } catch (error) {
      if (!isTaken(error)) throw error
      rmSync(old, { recursive: true, force: true })
      moveAway(folder, old)
    }
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)
const isTaken = (error: unknown) => codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST'

function moveAway(folder: string, to: string): void {
  try {
    renameSync(folder, to)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

/** Builds the program of the package in a folder, which its plugin carries too. */
export async function buildIn(folder: string): Promise<void> {
  await bundle(join(folder, 'dist'))
  carry(folder)
}

/** What a program inside a plugin does not need, and Node would not read there. */
const NOT_CARRIED = new Set(['allowScripts', 'devDependencies', 'exports', 'optionalDependencies', 'scripts'])

/** A client may copy the plugin alone, so what it runs lies inside it, as a package of its own. */
function carry(folder: string): void {
  const program = join(folder, 'plugin', 'program')
  const fresh = mkdtempSync(`${program}.`)
  try {
    for (const name of ['LICENSE', 'bin', 'dist'])
      cpSync(join(folder, name), join(fresh, name), { recursive: true })
    const kept = Object.entries(about).filter(([key]) => !NOT_CARRIED.has(key))
    writeFileSync(join(fresh, 'package.json'), `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`)
    chmodSync(fresh, 0o755)
    put(fresh, program)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

if (import.meta.main) await buildIn(ROOT)
