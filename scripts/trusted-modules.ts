import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clients } from '../src/clients/index.ts'
import { modulesOf, textsAt } from '../src/files/skill-at.ts'
import { runCode } from '../src/files/skill-code.ts'
import { parse } from '../src/files/skill-texts.ts'
import type { LoadedModule } from '../src/model/plan/definition.ts'
import type { Plan } from '../src/model/plan/plan.ts'
import { textKey, textPlaces, textsNamed } from '../src/model/workflow/texts.ts'

/** The workflow modules of the skills that the package ships, as data by the digest of their code. */
export async function trustedModules(contents: string): Promise<Readonly<Record<string, unknown>>> {
  const skills = join(contents, 'skills')
  const names = existsSync(skills) ? readdirSync(skills).toSorted() : []
  const made: (readonly [string, unknown])[] = []
  // Each has ten seconds, which all at once would not have on a busy machine.
  for (const name of names) made.push(...(await compiled(name, contents)))
  return Object.fromEntries(made)
}

async function compiled(name: string, contents: string): Promise<readonly (readonly [string, unknown])[]> {
  const folder = join(contents, 'skills', name)
  const found = await textsAt(folder, clients)
  if (found?.code === undefined) return []
  const { candidate, texts, code } = found
  const module = await runCode(code)
  const { definition, diagnostics } = await parse(candidate, texts, { modules: modulesOf(candidate, module) })
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  if (errors.length > 0 || definition.plan === undefined)
    throw new Error(`${folder}: ${errors.map(({ message }) => message).join(' ')}`)
  return [
    [code.digest, { skill: name, ...exportOf(module), texts: textsOf(definition.plan, [folder, contents]) }],
  ]
}

/** A module with an error was refused above. */
const exportOf = (module: LoadedModule): object => ('error' in module ? {} : { exported: module.exported })

function textsOf(plan: Plan, folders: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    textsNamed(plan).map((name) => {
      const path = textPlaces(name, folders).find(existsSync)
      if (path === undefined) throw new Error(`${folders[0]}: there is no ${textKey(name)}`)
      return [textKey(name), readFileSync(path, 'utf8')]
    }),
  )
}
