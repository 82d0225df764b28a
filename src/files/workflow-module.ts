import { execFile, type ExecFileException } from 'node:child_process'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { LoadedModule } from '../model/plan/definition.ts'
import { isDeep } from '../model/plan/exported.ts'
import door from '../workflow/door.json' with { type: 'json' }

const LONGEST_RUN = 10_000
const LARGEST_ANSWER = 1 << 20
const LONGEST_ERROR = 500

/**
 * Runs a workflow module and returns its exports as plain data. The code is untrusted, so it runs in a process without
 * an environment, in a realm with only the language (0009).
 */
export async function runModule(
  folder: string,
  name: string,
  longestRun: number = LONGEST_RUN,
): Promise<LoadedModule> {
  const root = await realpath(folder)
  const { error, stdout } = await run(root, join(root, name), longestRun)
  return error === null ? answerOf(stdout) : { error: explain(error, longestRun) }
}

interface Ran {
  readonly error: ExecFileException | null
  readonly stdout: string
}

function run(root: string, file: string, timeout: number): Promise<Ran> {
  const options = [
    '--permission',
    `--allow-fs-read=${root}`,
    '--disallow-code-generation-from-strings',
    '--experimental-vm-modules',
    '--frozen-intrinsics',
    '--max-old-space-size=256',
    '--no-warnings',
    '--input-type=module',
  ]
  const limits = { timeout, maxBuffer: LARGEST_ANSWER, killSignal: 'SIGKILL' } as const
  return new Promise((done) => {
    execFile(
      process.execPath,
      [...options, '--eval', CHILD, root, file],
      { ...limits, cwd: root, env: {} },
      (error, stdout) => done({ error, stdout }),
    )
  })
}

function explain({ code, signal, killed }: ExecFileException, longestRun: number): string {
  if (String(code) === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'It exports more than a megabyte.'
  if (killed === true) return `It did not finish within ${longestRun / 1000} seconds.`
  // Node's exit code for a top-level await that never settles.
  if (code === 13) return 'It awaits a promise that never settles.'
  return signal === 'SIGABRT' ? 'It ran out of memory.' : `It exited with ${signal ?? `code ${code}`}.`
}

/** The output of the process is as untrusted as the code in it. */
function answerOf(stdout: string): LoadedModule {
  const answer = parse(stdout)
  if (typeof answer !== 'object' || answer === null) return { error: 'It returned nothing that can be read.' }
  if ('error' in answer) {
    const line = 'line' in answer && typeof answer.line === 'number' ? answer.line : undefined
    return { error: String(answer.error).slice(0, LONGEST_ERROR), line }
  }
  const exported = 'exported' in answer ? answer.exported : undefined
  return isDeep(exported) ? { error: 'Its export is nested too deeply.' } : { exported }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * The code of the process, as text, because a bundle has no second file. The realm gets no object of Node, not even an
 * error, because any of them leads to `process`. Objects that a stack overflow exposes are frozen and make no code.
 */
const CHILD = `
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, sep } from 'node:path'
import { types } from 'node:util'
import vm from 'node:vm'

const [root, file] = process.argv.slice(1)
const realm = vm.createContext(vm.constants.DONT_CONTEXTIFY, { codeGeneration: { strings: false, wasm: false } })
const noImport = vm.runInContext("new Error('import() is not available; use import ... from')", realm)
const modules = new Map()
const DOOR = 'holdfast/workflow'

function load(path) {
  if (!modules.has(path)) modules.set(path, compile(path, path === DOOR ? ${JSON.stringify(door.code)} : readFileSync(path, 'utf8')))
  return modules.get(path)
}

function compile(path, text) {
  const strip = () => stripTypeScriptTypes(text, { sourceUrl: path })
  const code = path.endsWith('ts') ? strip() : text
  const importModuleDynamically = () => { throw noImport }
  try {
    return new vm.SourceTextModule(code, { context: realm, identifier: path, importModuleDynamically })
  } catch (error) {
    strip() // The same fault, told with its line.
    throw error
  }
}

function link(specifier, { identifier }) {
  if (specifier === DOOR) return load(DOOR)
  const isFile = /^\\.{1,2}\\/.*\\.m?[jt]s$/.test(specifier)
  const path = isFile ? join(dirname(identifier), specifier) : ''
  if (path.startsWith(root + sep) && existsSync(path) && realpathSync(path) === path) return load(path)
  throw new Error('It imports ' + specifier + ', which is not ' + DOOR + ' or a .ts, .mts, .js or .mjs file in its folder')
}

function exportOf(namespace) {
  const name = ['workflow', 'default'].find((one) => one in namespace)
  if (name === undefined) throw new Error('It exports neither workflow nor a default')
  const value = namespace[name]
  if (typeof value === 'function') throw new Error('It exports a function; export what the function returns')
  if (types.isPromise(value)) throw new Error('It exports a promise; await it')
  return value
}

function faultOf(error) {
  const stack = String(error?.stack)
  const at = stack.indexOf(file + ':')
  const line = at === -1 ? undefined : Number.parseInt(stack.slice(at + file.length + 1), 10)
  const name = error?.name === undefined || error.name === 'Error' ? '' : error.name + ': '
  const message = name + String(error?.message ?? error).split('\\n')[0]
  return { error: message.replace(/\\.?$/, '.'), line }
}

async function answer() {
  try {
    if (realpathSync(file) !== file) throw new Error('It is a symbolic link')
    const module = load(file)
    await module.link(link)
    await module.evaluate()
    return JSON.stringify({ exported: exportOf(module.namespace) })
  } catch (error) {
    return JSON.stringify(faultOf(error))
  }
}

process.stdout.write(await answer(), () => process.exit())
`
