import { ownFolder } from '../../model/client-files.ts'
import type { Client } from '../../model/client.ts'
import { parentOf } from '../../model/directive.ts'
import type { Context } from '../call/context.ts'

const MOST_ABOVE = 50
const LONGEST_TEXT = 200_000

interface Called {
  readonly name: string
  readonly args: string
  readonly cwd: string | undefined
}

/** The commands that the client runs while it loads a called skill, as one shell text; each skill of that name counts. */
export async function loadedBy(context: Context, client: Client, called: Called): Promise<string> {
  const { loadedCommands } = client
  if (loadedCommands === undefined) return ''
  const texts = await Promise.all(
    filesOf(context, client, called).map(async (path) => {
      const folder = parentOf(path)
      const text = await textAt(context, path)
      return loadedCommands(text, { args: called.args, folder }).join('\n')
    }),
  )
  return texts.filter((text) => text !== '').join('\n')
}

/** A name with colons is below folders. */
function filesOf(
  { user }: Context,
  client: Client,
  { name, cwd = '/' }: Pick<Called, 'name' | 'cwd'>,
): readonly string[] {
  const above = [cwd]
  while (above.at(-1) !== '/' && above.length < MOST_ABOVE) above.push(parentOf(above.at(-1) ?? '/'))
  const folders = [...above.map((one) => `${one}/${client.folders.project}`), ownFolder(user, client)]
  const path = name.replaceAll(':', '/')
  return folders.flatMap((folder) => [`${folder}/skills/${path}/SKILL.md`, `${folder}/commands/${path}.md`])
}

async function textAt({ files }: Context, path: string): Promise<string> {
  try {
    if ((await files.kind(path)) !== 'file') return ''
    const real = await files.canonical(path)
    return (await files.read({ path: real, root: parentOf(real), offset: 0, limit: LONGEST_TEXT })).content
  } catch {
    return ''
  }
}
