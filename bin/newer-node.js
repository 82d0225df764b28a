// Plain JavaScript that Node 14 can read.
import { spawn, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('./holdfast.js', import.meta.url))
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])

/** Runs this command with a Node that is new enough, or says how to get one. */
export function runWithNewer() {
  const words = [PROGRAM].concat(process.argv.slice(2))
  const node = newerNode()
  if (node === undefined) {
    process.stderr.write(missing(words))
    process.exitCode = 69
    return
  }
  const child = spawn(node, words, { stdio: 'inherit' })
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    for (const one of SIGNALS) process.removeAllListeners(one)
    if (signal === null) process.exitCode = code === null ? 1 : code
    else process.kill(process.pid, signal)
  })
}

/** The Node of this package, of an installed Holdfast, or of the PATH. */
function newerNode() {
  return packaged().concat(installed(), onPath()).find(isNewEnough)
}

/** npm installs it with this package, where it exists for the platform. */
function packaged() {
  try {
    return [createRequire(import.meta.url).resolve(packageName() + '/bin/node')]
  } catch {
    return []
  }
}

function packageName() {
  return 'node-' + process.platform + '-' + process.arch
}

function installed() {
  const given = process.env['XDG_DATA_HOME'] || ''
  const data = given.startsWith('/') ? given : (process.env['HOME'] || '') + '/.local/share'
  const versions = data + '/holdfast/versions'
  try {
    return readdirSync(versions).map((name) => versions + '/' + name + '/node')
  } catch {
    return []
  }
}

function onPath() {
  const folders = (process.env['PATH'] || '').split(':').filter((folder) => folder.startsWith('/'))
  return folders.map((folder) => folder + '/node')
}

/** @param {string} node */
function isNewEnough(node) {
  const said = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout || ''
  const found = /^v(\d+)\.(\d+)\./.exec(said)
  if (found === null) return false
  const major = Number(found[1])
  return major > 24 || (major === 24 && Number(found[2]) >= 12)
}

/** @param {string[]} words */
function missing(words) {
  // The package `node` runs a script when it is installed, which npm may refuse.
  const name = process.platform === 'linux' ? packageName() : 'node'
  const quoted = words.map((word) =>
    /^[\w./@+:,-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'",
  )
  return (
    'holdfast needs Node 24.12 or newer, and this is ' +
    process.versions.node +
    '; try: npx --yes --package=' +
    name +
    '@24 -- node ' +
    quoted.join(' ') +
    '\n'
  )
}
