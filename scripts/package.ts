import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import about from '../package.json' with { type: 'json' }
import { digestOf } from '../src/cli/program/copy.ts'
import { assemble } from './assemble.ts'

const ROOT = join(import.meta.dirname, '..')
const OUT = join(ROOT, 'out')
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

const QUIET = { stdio: 'pipe' } as const

/** Makes one executable file with the program and its Node inside, for this platform, and its checksum. */
export async function makeExecutable(): Promise<string> {
  const [program, parts] = [join(OUT, 'program'), join(OUT, 'parts')]
  for (const folder of [program, parts]) rmSync(folder, { recursive: true, force: true })
  mkdirSync(parts, { recursive: true })
  await assemble(program)
  const file = join(OUT, `holdfast-${about.version}-${process.platform}-${process.arch}`)
  rmSync(file, { force: true })
  copyFileSync(process.execPath, file)
  chmodSync(file, 0o755)
  inject(file, await blobOf(program, parts))
  writeFileSync(`${file}.sha256`, `${hash('sha256', readFileSync(file))}  ${file.slice(OUT.length + 1)}\n`)
  rmSync(parts, { recursive: true })
  return file
}

/** What Node runs and finds in the executable. */
async function blobOf(program: string, parts: string): Promise<string> {
  const inParts = (name: string) => join(parts, name)
  writeFileSync(inParts('name'), `${about.version}-${digestOf(program)}`)
  await build({
    entryPoints: [join(ROOT, 'scripts/executable/start.ts')],
    outfile: inParts('start.cjs'),
    bundle: true,
    platform: 'node',
    target: 'node24',
    logLevel: 'warning',
  })
  const config = {
    main: inParts('start.cjs'),
    output: inParts('blob'),
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    // The options of the user are for another Node.
    execArgvExtension: 'none',
    assets: { ...Object.fromEntries(filesBelow(program)), name: inParts('name') },
  }
  writeFileSync(inParts('config.json'), JSON.stringify(config))
  // Quiet, because it prints notes on stderr; a failure throws.
  execFileSync(process.execPath, ['--experimental-sea-config', inParts('config.json')], QUIET)
  return config.output
}

const filesBelow = (folder: string): readonly (readonly [string, string])[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name))
    .map((path) => [path.slice(folder.length + 1), path])

/** Only Linux is tried; macOS also wants a segment of its own, and a signature. */
function inject(file: string, blob: string): void {
  const isMac = process.platform === 'darwin'
  if (isMac) execFileSync('codesign', ['--remove-signature', file])
  const segment = isMac ? ['--macho-segment-name', 'NODE_SEA'] : []
  const postject = join(ROOT, 'node_modules/.bin/postject')
  execFileSync(postject, [file, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE, ...segment], QUIET)
  if (isMac) execFileSync('codesign', ['--sign', '-', file])
}

if (import.meta.main) process.stdout.write(`${await makeExecutable()}\n`)
