import { type Diagnostic, diagnose } from '../model/diagnostic.ts'
import type { Disk } from './disk.ts'
import { findMentions, type Mention } from './mentions.ts'
import type { SkillSource } from './notations/frontend.ts'
import { HINTS, ownPath } from './own-files.ts'

/** Finds the files that the text says belong to the skill and that do not exist, each at its first mention. */
export function missingFiles(source: SkillSource, folder: string, disk: Disk): readonly Diagnostic[] {
  const { file, text } = source.main
  const folders = foldersUp(folder, disk.above)
  const isAt = (path: string) => folders.some((one) => disk.exists(joined(one, path)))
  const around = { name: folder.split('/').at(-1) ?? '', isSkill: (name: string) => isAt(`${name}/SKILL.md`) }
  const first = new Map<string, Mention | undefined>()
  for (const mention of findMentions(source, HINTS)) {
    const path = ownPath(mention, around)
    if (path === undefined || first.get(path) !== undefined) continue
    const isThere =
      first.has(path) ||
      isSaidInFull(mention, text) ||
      (path.startsWith('../')
        ? disk.exists(joined(folder, path))
        : namesOf(path, mention).some((name) => isAt(name)))
    first.set(path, isThere ? undefined : mention)
  }
  return [...first.values()].flatMap((mention) => {
    if (mention === undefined) return []
    const { path, line, column } = mention
    const code = /(^|\/)SKILL\.md$/i.test(path) ? 'HF122' : 'HF121'
    return [diagnose(code, { file, line, column }, `${path} does not exist.`)]
  })
}

/** The folder of the file and those above it, up to the repository: skills are written for each of them. */
export function foldersUp(folder: string, above: number): readonly string[] {
  const names = folder === '.' ? [] : folder.split('/')
  const below = names.map((_, index) => names.slice(0, names.length - index).join('/'))
  const outside = Array.from({ length: above }, (_, index) =>
    Array(index + 1)
      .fill('..')
      .join('/'),
  )
  return [...below, '.', ...outside]
}

/** Where the text also names the folder of the file, that mention decides. */
const isSaidInFull = ({ path, how }: Mention, text: string): boolean =>
  how !== 'link' && !path.includes('/') && text.replaceAll(`./${path}`, '').includes(`/${path}`)

/** The paths under which a file may lie. */
function namesOf(path: string, { how }: Mention): readonly string[] {
  if (how === 'link') return [path, decoded(path)]
  // A name without a folder can mean a file in one of the usual folders.
  if (!path.includes('/')) return [path, ...USUAL_FOLDERS.map((folder) => `${folder}/${path}`)]
  // An installed skill lies in a folder of its client.
  return [path, ...(/^\.[a-z]+\/(skills\/(.+))$/.exec(path)?.slice(1) ?? [])]
}

const USUAL_FOLDERS = ['references', 'scripts', 'assets', 'templates', 'steps', 'conventions']

const decoded = (path: string): string => path.replaceAll(/%20/g, ' ')

/** A path from the root; nothing is resolved unless it must be. */
export function joined(folder: string, path: string): string {
  if (!path.includes('./') && !path.includes('//')) return folder === '.' ? path : `${folder}/${path}`
  const names = folder === '.' ? [] : folder.split('/')
  for (const name of path.split('/')) {
    if (name === '..' && names.length > 0 && names.at(-1) !== '..') names.pop()
    else if (name !== '.' && name !== '') names.push(name)
  }
  return names.join('/')
}
