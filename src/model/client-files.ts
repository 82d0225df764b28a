import type { Client, Clients } from './client.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Where a client keeps its files. */
export interface ClientFolders {
  /** The client's folder of one user; may be relative if the environment says so. */
  user(home: string, env: Environment): string
  /** The name of its project folder, which holds skills, commands and agents. */
  readonly project: string
}

/** How the client proves its sandbox: it runs once, with a model on loopback that asks for one shell command. Pure. */
export interface SandboxTrial {
  /** What to run, with a folder for the files of the client, and the model at a URL. */
  start(at: { readonly url: string; readonly folder: string }): {
    readonly words: readonly string[]
    readonly env: Readonly<Record<string, string>>
  }
  /** The stream of events with which the model answers a request. */
  reply(body: string, command: string): string
  /** What the command printed, if a request tells it. */
  printed(body: string): string | undefined
}

/** The sandbox of a client, around the shells of an agent. Pure. */
export interface ClientSandbox {
  /** The programs that it needs on a platform, with their packages. */
  needs(platform: string): Readonly<Record<string, string>>
  readonly trial: SandboxTrial
  /** Names that it hides in a project, also where no such file exists; git takes them for files. */
  readonly masks: readonly string[]
  /** Files and folders of the client that decide what runs outside of its sandbox. */
  guarded(folders: {
    readonly home: string
    readonly user: string
    readonly project: string
  }): readonly string[]
}

/** A plugin that a user installed in a client. */
export interface InstalledPlugin {
  readonly name: string
  /** The name that the client's settings and commands use. */
  readonly key: string
  readonly folder: string
}

/** The plugins of a client. Pure: callers pass file texts, which may be malformed. */
export interface ClientPlugins {
  /** The file that makes the folder above it a plugin. */
  readonly manifest: string
  /** The list of installed plugins, below the client's own folder. */
  readonly list: string
  /** The plugins enabled in a project. Settings come widest scope first; the last value wins. */
  installed(
    list: string | undefined,
    settings: readonly (string | undefined)[],
    project: string,
  ): readonly InstalledPlugin[]
  /** The hooks of a plugin as settings, and the variables that the client sets for them. */
  hooks(folder: string): { readonly path: string; readonly env: Readonly<Record<string, string>> }
  /** The list of marketplaces, below the client's own folder. */
  readonly marketplaces: string
  /** The folder of a plugin's marketplace, if the client reads its plugins there and not from its own copies. */
  readFrom(marketplaces: string | undefined, key: string): string | undefined
  /** The file in which a marketplace lists its plugins. */
  readonly offers: string
  /** Where a plugin lies in the folder of its marketplace. */
  offered(offers: string | undefined, name: string): string | undefined
  /** The script of our own plugin that finds our program. */
  readonly program: string
  /** The commands that update and disable a plugin. */
  update(key: string): string
  disable(key: string): string
  /** The command that lets our own plugin come from another folder; undefined if it is not from our marketplace. */
  moveTo(key: string, folder: string): string | undefined
  /** The JSON files of our own plugin, by their path in this package. */
  files(about: { readonly version: string; readonly license: string }): Readonly<Record<string, object>>
}

/** The folders of one user for data that belongs to no project. */
export interface UserFolders {
  readonly home: string
  /** The own folder of each client, by its name. */
  readonly clients: ReadonlyMap<string, string>
}

/** The own folder of a client for this user. */
export const ownFolder = ({ home, clients }: UserFolders, { name, folders }: Client): string =>
  clients.get(name) ?? folders.user(home, {})

/** The user's skill folders: one per client and a shared one. */
export const personalFolders = (user: UserFolders, clients: Clients): readonly string[] => [
  ...[...clients.values()].map((client) => ownFolder(user, client)),
  `${user.home}/.agents`,
]

/** The folder of a project that new skills go to. */
export const skillsFolder = ({ folders }: Client): string => `${folders.project}/skills`

/** The folder of a project that holds its agents. */
export const agentsFolder = ({ folders }: Client): string => `${folders.project}/agents`
