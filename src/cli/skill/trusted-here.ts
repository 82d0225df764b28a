import { resolve } from 'node:path'
import { configPath, findHome } from '../../daemon/home.ts'
import { packagedModules } from '../../daemon/packaged.ts'
import { withUserConfig } from '../../files/config.ts'
import type { ExportedModule } from '../../model/plan/definition.ts'
import type { SkillCode } from '../../model/skill-folders.ts'
import { type SkillDetails, type Trust, trustNow } from '../../model/skill.ts'
import type { Rows } from '../../store/reader.ts'
import { withReader } from '../daemon/reader.ts'
import type { Io } from '../frame/io.ts'

interface Known {
  readonly modules: ReadonlyMap<string, ExportedModule>
  /** What the daemon knew of each skill when it last read it, by main file. */
  readonly before: ReadonlyMap<string, SkillDetails>
}

/** What the user trusts, read from the database without a daemon when a workflow module is first met. */
export class TrustedHere {
  readonly #io: Io
  #known: Promise<Known> | undefined

  constructor(io: Io) {
    this.#io = io
  }

  /** What a module of this code is trusted to export. */
  async module(code: string): Promise<ExportedModule | undefined> {
    return (await this.#read()).modules.get(code) ?? packagedModules().get(code)
  }

  /** Whether a skill is trusted, as `skill list` shows it. */
  async of(file: string, { digest, isTrusted }: SkillCode): Promise<Trust> {
    return trustNow(digest, isTrusted, (await this.#read()).before.get(resolve(file)))
  }

  #read(): Promise<Known> {
    // Skills can be listed where no database is, or none that can be read.
    return (this.#known ??= readKnown(this.#io).catch(() => ({ modules: new Map(), before: new Map() })))
  }
}

async function readKnown({ env }: Io): Promise<Known> {
  const home = findHome(withUserConfig(env, configPath(env)))
  const [modules, skills] = await withReader(home, (reader) =>
    Promise.all([
      reader.query('select digest, exported, texts from trusted_modules'),
      reader.query(`select file, details from skills where details like '%"trust":"%'`),
    ]),
  )
  const module = (row: Rows[number]): ExportedModule => ({
    exported: JSON.parse(String(row['exported'])) as unknown,
    texts: JSON.parse(String(row['texts'])) as Readonly<Record<string, string>>,
  })
  return {
    modules: new Map(modules.map((row) => [String(row['digest']), module(row)])),
    before: new Map(
      skills.map((row) => [String(row['file']), JSON.parse(String(row['details'])) as SkillDetails]),
    ),
  }
}
