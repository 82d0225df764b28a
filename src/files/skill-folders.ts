import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { UserFolders } from '../model/client-files.ts'
import type { Clients } from '../model/client.ts'
import type { ExportedModule, LoadedModule, Parsed } from '../model/plan/definition.ts'
import { inPlugin, type PluginParts } from '../model/plan/in-plugin.ts'
import { isInside } from '../model/project.ts'
import type { FoundSkill, FoundSkills, ReadWith, SkillFolders } from '../model/skill-folders.ts'
import { ownName, type SkillScope } from '../model/skill.ts'
import { type Candidate, findCandidates, moduleOf, SKILL_FILES } from '../skills/find.ts'
import { type SkillPlace, placesOf } from '../skills/places.ts'
import { exists, findOverlays, overlayFolders, upToRepository } from './overlays.ts'
import type { Disk } from '../skills/disk.ts'
import { pluginList, pluginsOf } from './plugins.ts'
import { modulesOf, moduleRun, MOST_FOLDERS, textsAt } from './skill-at.ts'
import { type Code, codeIn } from './skill-code.ts'
import type { SkillParser } from './skill-parser.ts'
import {
  absolute,
  changesOf,
  lastChange,
  parse,
  readTexts,
  skillDigest,
  type State,
  stateOf,
  type Texts,
} from './skill-texts.ts'
import { walk } from './walk.ts'
import { FolderWatch } from './watch.ts'

/** A file that changed this recently may change again without a new modification time. */
const TOO_FRESH_MILLISECONDS = 2000
const MOST_PROJECTS = 100
/** Leaves time to commit the registration of a new project. */
const SETTLED_MILLISECONDS = 50

interface Options {
  readonly user: UserFolders
  readonly clients: Clients
  /** The folder of the user's overlays. */
  readonly overlays: string
  /** The program version, because another version may read the same files differently. */
  readonly version: string
  /** Called with a watched project whose skills may have changed. */
  readonly changed?: (project: string) => void
  /** Called for every folder and skill that is read. */
  readonly onSeen?: (what: 'folder' | 'skill') => void
  /** Called for every broken link in a folder of skills. */
  readonly onBroken?: (path: string) => void
  /** Finds missing files; the daemon shows none, so it has no disk. */
  readonly disk?: Disk
  /** What the user trusts workflow modules to export, by the digest of their code; without it, no module counts. */
  readonly trusted?: (code: string) => Promise<ExportedModule | undefined>
  /** Parses beside the event loop; without it, skills are parsed at once. */
  readonly parser?: SkillParser
}

interface Seen {
  /** The size, time and inode of all its files. */
  readonly state: string
  readonly digest: string
  readonly code: string | undefined
}

/** Where a place has its skills. */
const KINDS = ['skills', 'commands']
const foldersIn = (root: string): readonly string[] => KINDS.map((kind) => join(root, kind))

/** The skills on this machine's disk. */
export class NodeSkillFolders implements SkillFolders {
  readonly #options: Options
  /** The last known state of each skill, by main file. */
  readonly #seen = new Map<string, Seen>()
  /** The overlays that each project had when it was last read, because one that is gone says nothing itself. */
  readonly #overlays = new Map<string, Found['overlays']>()
  readonly #watches = new Map<string, FolderWatch>()
  /** Folders outside of the projects, which are mostly shared and watched once. */
  readonly #outside = new Map<string, readonly string[]>()
  readonly #shared = new FolderWatch(() => this.lookAgain())

  constructor(options: Options) {
    this.#options = options
  }

  async read(project: string, known: ReadonlyMap<string, string>): Promise<FoundSkills> {
    const places = await this.#places(project)
    const above = await overlayFolders(project, this.#options.overlays)
    const overlays = await findOverlays(above)
    const found: Found = {
      skills: new Map(),
      files: new Set(),
      overlays,
      formerOverlays: this.#overlays.get(project) ?? overlays,
      problems: [],
      unread: [],
      folders: [],
    }
    for (const place of places) for (const kind of KINDS) await this.#readPlace(place, kind, known, found)
    this.#overlays.set(project, overlays)
    // Plugins can be anywhere; the client's list shows new ones.
    const { user, clients } = this.#options
    const lists = [...clients.values()].flatMap((client) => pluginList(client, user) ?? [])
    const overlaid = new Set([...above, ...above.map(dirname), ...[...overlays.values()].map(dirname)])
    this.#watch(project, [
      ...places.map(({ root }) => root),
      ...lists.map(dirname),
      ...overlaid,
      ...found.folders,
    ])
    const isMissing = [...known.keys()].some((name) => !found.skills.has(name))
    const roots = places.map(({ root }) => root)
    const own = roots.filter((root) => isInside(project, root))
    return {
      skills: [...found.skills.values()],
      problems: found.problems,
      unread: found.unread,
      ...(isMissing && { goneAt: await changesOf([project, ...own, ...roots.flatMap(foldersIn)]) }),
    }
  }

  async readOne(path: string, runsModule: boolean): Promise<Parsed | undefined> {
    const found = await textsAt(path, this.#options.clients)
    if (found === undefined) return undefined
    const { candidate, texts, code } = found
    const module = runsModule ? await moduleRun(candidate) : await this.#trusted(code)
    return await this.#parse(candidate, texts, module)
  }

  async readWith(folder: string, module: LoadedModule): Promise<ReadWith | undefined> {
    const found = await textsAt(folder, this.#options.clients)
    if (found === undefined || moduleOf(found.candidate) === undefined) return undefined
    const parsed = await this.#parse(found.candidate, found.texts, module)
    return { parsed, code: found.code?.digest }
  }

  want(project: string): void {
    const { changed } = this.#options
    if (changed === undefined || this.#watches.has(project)) return
    const [oldest] = this.#watches.keys()
    if (oldest !== undefined && this.#watches.size >= MOST_PROJECTS) {
      this.#watches.get(oldest)?.close()
      this.#watches.delete(oldest)
      this.#outside.delete(oldest)
    }
    this.#watches.set(project, new FolderWatch(() => changed(project)))
    setTimeout(() => changed(project), SETTLED_MILLISECONDS).unref()
  }

  reread(code: string): void {
    for (const [file, seen] of this.#seen) if (seen.code === code) this.#seen.delete(file)
    this.lookAgain()
  }

  close(): void {
    for (const watch of [this.#shared, ...this.#watches.values()]) watch.close()
    this.#watches.clear()
  }

  /** Reports every watched project, because a change may have gone unnoticed. */
  lookAgain(): void {
    for (const project of this.#watches.keys()) this.#options.changed?.(project)
  }

  /** A new folder is noticed when its parent changes. */
  #watch(project: string, folders: readonly string[]): void {
    const own = this.#watches.get(project)
    if (own === undefined) return
    own.set([project, ...folders.filter((folder) => isInside(project, folder))])
    this.#outside.set(
      project,
      folders.filter((folder) => !isInside(project, folder)),
    )
    this.#shared.set([...new Set([...this.#outside.values()].flat())])
  }

  async #places(project: string): Promise<readonly SkillPlace[]> {
    const { user, clients } = this.#options
    const found = await Promise.all([...clients.values()].map((client) => pluginsOf(client, user, project)))
    return placesOf({ user, clients, folders: await upToRepository(project), plugins: found.flat() })
  }

  async #readPlace(
    place: SkillPlace,
    folderName: string,
    known: ReadonlyMap<string, string>,
    found: Found,
  ): Promise<void> {
    const folder = join(place.root, folderName)
    const onFolder = () => this.#options.onSeen?.('folder')
    const walked = await walk(folder, SKILL_FILES, MOST_FOLDERS, { onFolder }).catch(() => undefined)
    if (walked === undefined) {
      if (await exists(folder)) found.unread.push(folder)
      return
    }
    found.folders.push(...walked.folders.values())
    for (const path of walked.unread) found.unread.push(path)
    for (const link of walked.broken) this.#options.onBroken?.(join(folder, link))
    const candidates = findCandidates(walked.files.map((path) => `${folderName}/${path}`))
      .filter(({ kind }) => kind !== 'agent')
      .map((candidate) => {
        const id = place.plugin === undefined ? candidate.id : `${place.plugin}:${ownName(candidate.id)}`
        const own = candidate.folder.slice(folderName.length + 1)
        return {
          ...absolute(candidate, place.root),
          id,
          overlay: found.overlays.get(id),
          scope: place.scope,
          real: walked.folders.get(own) ?? folder,
        }
      })
    const plugin = await partsOf(place)
    // In parallel, because sequential calls spend most of their time waiting.
    const states = await Promise.all(candidates.map(stateOf))
    for (const [index, candidate] of candidates.entries())
      await this.#add({ ...candidate, plugin, state: states[index] }, known, found).catch((error: unknown) =>
        found.problems.push({ file: candidate.file, message: unreadable(error) }),
      )
  }

  /** The first place wins; a link to a known file is not a second skill. */
  async #add(candidate: Located, known: ReadonlyMap<string, string>, found: Found): Promise<void> {
    const { id, file, scope, real, state } = candidate
    this.#options.onSeen?.('skill')
    if (state === undefined) throw new Error('it was removed')
    if (found.files.has(state.inode)) return
    found.files.add(state.inode)
    const first = found.skills.get(id)
    if (first === undefined)
      found.skills.set(id, {
        id,
        scope,
        file,
        folder: real,
        ...(await this.#readOne({ ...candidate, state }, known, found.formerOverlays.get(id))),
      })
    else {
      const message = `${id} is also the name of ${first.file}, which clients use instead.`
      found.problems.push({ file, message })
    }
  }

  /** What the user trusts of this code. */
  async #trusted(code: Code | undefined): Promise<ExportedModule | undefined> {
    return code === undefined ? undefined : await this.#options.trusted?.(code.digest)
  }

  async #parse(candidate: Candidate, texts: Texts, module: LoadedModule | undefined) {
    const { parser, disk } = this.#options
    const modules = modulesOf(candidate, module)
    if (parser === undefined) return await parse(candidate, texts, { modules, disk })
    return await parser.parse({ candidate, texts, modules })
  }

  /** Reads only changed files, and parses only unknown content. */
  async #readOne(
    candidate: Located & { readonly state: State },
    known: ReadonlyMap<string, string>,
    formerOverlay: string | undefined,
  ) {
    const { whole, newest } = candidate.state
    const before = this.#seen.get(candidate.file)
    if (before?.state === whole && known.get(candidate.id) === before.digest)
      return { digest: before.digest, parsed: undefined }
    const isFresh = Date.now() - newest < TOO_FRESH_MILLISECONDS
    const texts = await readTexts(candidate)
    const own = codeIn(candidate, texts)
    const module = await this.#trusted(own)
    const digest = skillDigest(this.#options.version, candidate, { texts, module })
    if (isFresh) this.#seen.delete(candidate.file)
    else this.#seen.set(candidate.file, { state: whole, digest, code: own?.digest })
    if (known.get(candidate.id) === digest) return { digest, parsed: undefined }
    const parsed = await this.#parse(candidate, texts, module)
    return {
      digest,
      parsed: candidate.plugin === undefined ? parsed : inPlugin(parsed, candidate.plugin),
      code: own && { digest: own.digest, isTrusted: module !== undefined },
      changedAt: await lastChange(candidate, formerOverlay),
    }
  }
}

interface Located extends Candidate {
  readonly scope: SkillScope
  readonly real: string
  /** Set if a plugin brings it. */
  readonly plugin?: PluginParts | undefined
  readonly state: State | undefined
}

/** What a plugin brings besides a skill. */
async function partsOf({ root, plugin: name }: SkillPlace): Promise<PluginParts | undefined> {
  if (name === undefined) return undefined
  const [skills, agents] = await Promise.all(
    ['skills', 'agents'].map(async (kind) => await readdir(join(root, kind)).catch(() => [])),
  )
  return { name, skills: new Set(skills), agents: new Set(agents?.map((file) => file.replace(/\.md$/, ''))) }
}

const unreadable = (error: unknown): string =>
  `It cannot be read: ${error instanceof Error ? error.message : String(error)}.`

interface Found {
  readonly skills: Map<string, FoundSkill>
  /** The inodes, because several paths may lead to one file. */
  readonly files: Set<string>
  /** The overlays in force, by the id of their skill. */
  readonly overlays: ReadonlyMap<string, string>
  /** The same when the project was last read. */
  readonly formerOverlays: ReadonlyMap<string, string>
  readonly problems: { file: string; message: string }[]
  readonly unread: string[]
  readonly folders: string[]
}
