import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    clientProgram: string
  }
}

const run = promisify(execFile)
const VERSION = '2.1.325'
const PACKAGE = `@anthropic-ai/claude-code@${VERSION}`

/** Before the stories: installs the client and tells each story where it is. */
export async function setup(project: TestProject): Promise<void> {
  project.provide('clientProgram', await installClient())
}

/** The path of the client's program. It is proprietary, so the tests download it and never depend on it. */
async function installClient(): Promise<string> {
  const cache = resolve(process.env['HOLDFAST_CLIENT_CACHE'] ?? 'node_modules/.cache/holdfast')
  const folder = join(cache, `claude-code-${VERSION}`)
  const installed = programIn(folder)
  if (installed !== undefined) return installed
  console.log(`Installing ${PACKAGE} (about 170 MB) into ${folder}`)
  await install(folder)
  const program = programIn(folder)
  if (program === undefined) throw new Error(`${folder} holds no client; remove it and run this again.`)
  return program
}

/** Fills and checks a temporary folder, then renames it; a second installer uses the first result. */
async function install(folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true })
  const own = await mkdtemp(`${folder}.`)
  try {
    await fetchInto(own)
    await rename(own, folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}

async function fetchInto(folder: string): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{"private":true}\n')
  try {
    const words = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', PACKAGE]
    await run('npm', words, { cwd: folder })
    const program = programIn(folder)
    if (program === undefined) throw new Error('npm has no program for this platform')
    const { stdout } = await run(program, ['--version'], { env: { HOME: folder } })
    if (!stdout.startsWith(VERSION)) throw new Error(`the program says that it is ${stdout.trim()}`)
  } catch (error) {
    throw new Error(
      `Claude Code ${VERSION} could not be installed from npm; only \`npm run test:client\` needs it. ` +
        `See whether \`npm view ${PACKAGE}\` answers, or let HOLDFAST_CLIENT_CACHE name a folder that holds claude-code-${VERSION} from a machine where it does.`,
      { cause: error },
    )
  }
}

/** The package only wraps the program, which comes in a package per platform and needs no Node. */
function programIn(folder: string): string | undefined {
  return globSync(join(folder, 'node_modules/@anthropic-ai/claude-code-*/claude'))[0]
}

if (import.meta.main) await installClient()
