import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** The line of the step that only its file contains. */
const TEXT = /Do\s+what\s+do\s+says/

/** Runs a command in bash, and tells whether it printed or copied the step's text. */
export async function showsStep(
  command: string,
  { root, out, step, text }: { root: string; out: string; step: string; text: string },
): Promise<boolean> {
  await rm(out, { recursive: true, force: true })
  await mkdir(out, { recursive: true })
  // An argument cannot be as long as a script.
  const script = `${out}.sh`
  await writeFile(script, command)
  const printed = await printedBy(script, root)
  // A way may have moved or changed the step.
  if ((await readFile(step, 'utf8').catch(() => '')) !== text) {
    await mkdir(join(step, '..'), { recursive: true })
    await writeFile(step, text)
  }
  const written = await filesBelow(out)
  return [printed, ...written].some(hasText)
}

/** Everything that a command prints; it has no input, and whatever it leaves running is not waited for. */
const printedBy = (script: string, cwd: string): Promise<Buffer> =>
  new Promise((resolve) => {
    const options = { cwd, encoding: 'buffer' } as const
    const child = execFile('bash', [script], options, (_, stdout, stderr) =>
      resolve(Buffer.concat([stdout, stderr])),
    )
    child.stdin?.end()
  })

async function filesBelow(folder: string): Promise<readonly Buffer[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name))))
}

const hasText = (bytes: Buffer): boolean => decoded(bytes).some((text) => TEXT.test(text))

/** What the bytes may mean: as they stand, reversed, encoded or packed. */
function decoded(bytes: Buffer): readonly string[] {
  const text = bytes.toString('utf8')
  const bare = text.replaceAll(/\s/g, '')
  return [
    text,
    text.replaceAll('\\n', '\n'),
    text.replaceAll(/^.*?[:|] ?/gm, ''),
    text.split('').toReversed().join(''),
    text.split('\n').toReversed().join('\n'),
    Buffer.from(bare, 'base64').toString('utf8'),
    Buffer.from(bare, 'hex').toString('utf8'),
    text.replaceAll(/ {3}|\n/g, ''),
    text.replaceAll(/^\S+ |\|$/gm, ''),
    unpacked(bytes),
  ]
}

function unpacked(bytes: Buffer): string {
  try {
    return gunzipSync(bytes).toString('utf8')
  } catch {
    return ''
  }
}
